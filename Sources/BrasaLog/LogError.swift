package import BrasaPlatform

/// Why the log cannot do what was asked. The text is made here from the facts; it never carries record data.
package struct LogError: Error, Sendable, CustomStringConvertible {
    package enum Code: Sendable, Hashable {
        /// Bytes that were once stable are not what was written; `file` and `offset` say where.
        case damaged
        /// The bytes are whole, but the reader of their content refused them.
        case rejected
        /// A file of a format that this build does not know.
        case unknownVersion
        /// Another process uses the folder.
        case locked
        /// The disk has no room. Nothing was written, or what was written has been cut off again; later the same may succeed.
        case diskFull
        /// Any other refusal of the disk.
        case disk
        /// An earlier write or sync failed; nothing more becomes durable until a restart has recovered.
        case failed
        /// The log was closed. What is answered with this was not written.
        case closed
        /// Too much is queued already.
        case resourceExhausted
        case recordTooLarge
    }

    package let code: Code
    package let file: String?
    package let offset: Int?
    package let detail: String
    package let cause: DiskError?

    package init(_ code: Code, file: String? = nil, offset: Int? = nil, detail: String, cause: DiskError? = nil) {
        self.code = code
        self.file = file
        self.offset = offset
        self.detail = detail
        self.cause = cause
    }

    package init(_ cause: DiskError) {
        self.init(cause.isFull ? .diskFull : .disk, file: cause.path, detail: cause.description, cause: cause)
    }

    /// For what leaves it open what the disk holds: a failed sync, also one that failed for lack of space.
    init(untrusted cause: DiskError) {
        self.init(.disk, file: cause.path, detail: cause.description, cause: cause)
    }

    static func damaged(_ file: String, _ offset: Int, _ detail: String) -> LogError {
        LogError(.damaged, file: file, offset: offset, detail: detail)
    }

    /// The error that is answered after a failure for whatever was not durable before.
    var afterwards: LogError {
        LogError(
            .failed,
            file: self.file,
            offset: self.offset,
            detail: "the log stopped after a failure: \(self.detail)",
            cause: self.cause
        )
    }

    package var description: String {
        guard self.cause == nil, let file = self.file else { return self.detail }
        guard let offset = self.offset else { return "\(file): \(self.detail)" }
        return "\(file), offset \(offset): \(self.detail)"
    }
}

/// Runs a disk operation and gives its error the log's type.
func asLogError<Result: ~Copyable>(_ body: () throws(DiskError) -> Result) throws(LogError) -> Result {
    do {
        return try body()
    } catch {
        throw LogError(error)
    }
}
