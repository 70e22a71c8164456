package import BrasaStatus

/// A failure as the user of the client sees it, or as the server reported it.
package struct SyncError: Error, Hashable, Sendable {
    /// Never OK.
    package let code: StatusCode
    package let message: String
    /// Of the connection, the disk, or who gives tokens; nil when there is nothing below.
    package let cause: FailureCause?

    /// A server that calls a failure OK is taken to not know why it failed.
    package init(_ code: StatusCode, _ message: String = "", cause: (any Error)? = nil) {
        self.code = code == .ok ? .unknown : code
        self.message = message
        self.cause = cause.map { FailureCause($0) }
    }

    /// - Parameter message: what the storage was asked for, and could not do.
    init(_ message: String, storage error: StorageError) {
        self.init(.unavailable, message, cause: error.cause ?? error)
    }
}

extension StatusCode {
    /// Of a failure: whether repeating the same call makes no sense.
    package var isPermanent: Bool {
        switch self {
        case .ok, .cancelled, .unknown, .deadlineExceeded, .resourceExhausted, .internal, .unavailable,
            .unauthenticated:
            false
        case .invalidArgument, .notFound, .alreadyExists, .permissionDenied, .failedPrecondition, .aborted, .outOfRange,
            .unimplemented, .dataLoss:
            true
        }
    }

    /// The same for writes, which the server aborts when they meet other writers.
    package var isPermanentForWrites: Bool { self.isPermanent && self != .aborted }
}
