package import BrasaLog

/// Why the store cannot do what was asked.
package struct StoreError: Error, Sendable, CustomStringConvertible {
    package enum Code: Hashable, Sendable {
        /// The versions that this time would show may be gone.
        case readTimeTooOld
        /// The time lies this many microseconds past everything that can be read yet.
        case readTimeInFuture(by: Int64)
        /// Nothing existed at this time, not even the store.
        case readTimeBeforeCreation
        /// Too much is waiting for the disk. Nothing was changed; later the same may succeed.
        case resourceExhausted
        /// The disk has no room. Nothing was changed; later the same may succeed.
        case diskFull
        /// What is kept in memory would be more than this. Nothing was changed; later the same may succeed.
        case memoryFull(bytesMax: Int)
        /// Sessions leave as much to be written at their ends as they may. Nothing was changed; later the same may succeed.
        case tooMuchLeft
        /// The changes do not fit one record.
        case commitTooLarge
        /// The log failed or was closed: no commit will succeed until a restart has recovered.
        case unavailable
        /// Recovery met bytes that it cannot use, or another process has the folder: the start stops here.
        case unrecoverable
    }

    package let code: Code
    /// What the log said, where it is behind the error.
    package let cause: LogError?

    package init(_ code: Code, cause: LogError? = nil) {
        self.code = code
        self.cause = cause
    }

    /// For what fails after the start.
    init(refused cause: LogError) {
        switch cause.code {
        case .resourceExhausted: self.init(.resourceExhausted, cause: cause)
        case .diskFull: self.init(.diskFull, cause: cause)
        case .recordTooLarge: self.init(.commitTooLarge, cause: cause)
        default: self.init(.unavailable, cause: cause)
        }
    }

    /// Nothing of what was asked for is there, or will be, also where the log had taken it.
    package var isSurelyNotDone: Bool { self.cause?.code == .closed }

    package var description: String {
        switch self.code {
        case .readTimeTooOld: "The requested snapshot version is too old."
        case .readTimeInFuture: "The requested 'read_time' cannot be in the future."
        case .readTimeBeforeCreation: "The requested 'read_time' cannot be before database creation time."
        case .resourceExhausted: "Too many commits are waiting for the disk."
        case .diskFull: "The disk is full: nothing was written."
        case .memoryFull(let bytesMax): "The memory bound of \(bytesMax) bytes is reached: nothing was written."
        case .tooMuchLeft: "Sessions leave as much to be written at their ends as they may."
        case .commitTooLarge: "The commit is too large."
        case .unavailable: "The database accepts no commits: \(self.cause?.description ?? "the log is closed")"
        case .unrecoverable: self.cause?.description ?? "The data folder cannot be used."
        }
    }
}
