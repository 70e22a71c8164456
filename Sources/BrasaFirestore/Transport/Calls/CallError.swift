package import BrasaGRPC
internal import BrasaMessages
internal import BrasaStatus
package import BrasaSync

/// How a call failed in the end.
package struct CallError: Error, Sendable, CustomStringConvertible {
    package let status: GRPCStatus
    /// The server may have done what was asked: nobody knows. Only said of calls that change documents. Whoever does the
    /// same again may do it twice.
    package let mayHaveBeenApplied: Bool
    /// Why there was no connection, or no token.
    package let cause: (any Error)?

    package init(_ status: GRPCStatus, mayHaveBeenApplied: Bool = false, cause: (any Error)? = nil) {
        self.status = status
        self.mayHaveBeenApplied = mayHaveBeenApplied
        self.cause = cause
    }

    init(_ result: GRPCCallResult, of method: CallMethod) {
        self.init(
            result.status,
            mayHaveBeenApplied: method.changesDocuments && !result.isKnownUnapplied,
            cause: result.cause
        )
    }

    /// Of a call that was not sent.
    init(unsent result: GRPCCallResult) {
        self.init(result.status, cause: result.cause)
    }

    package var description: String { self.status.description }

    package var syncError: SyncError { SyncError(self.status.code, self.status.message, cause: self.cause) }
}

extension GRPCCallResult {
    /// Whether the server has certainly changed nothing.
    fileprivate var isKnownUnapplied: Bool {
        if self.isSafeToRepeat { return true }
        return self.isAnswer && SyncError(self.status).code.isRefusal
    }
}

extension StatusCode {
    /// Whether a server that answers so, for a call or for one of its writes, has certainly changed nothing.
    var isRefusal: Bool {
        switch self {
        case .invalidArgument, .notFound, .alreadyExists, .permissionDenied, .resourceExhausted, .failedPrecondition,
            .aborted, .outOfRange, .unimplemented, .unauthenticated:
            true
        case .ok, .cancelled, .unknown, .deadlineExceeded, .internal, .unavailable, .dataLoss:
            false
        }
    }
}

extension SyncError {
    init(_ status: GRPCStatus) {
        self.init(status.code, status.message)
    }

    init(_ result: GRPCCallResult) {
        self.init(result.status.code, result.status.message, cause: result.cause)
    }

    /// Of a part of an answer.
    init(_ status: Status) {
        self.init(status.code, status.message)
    }
}
