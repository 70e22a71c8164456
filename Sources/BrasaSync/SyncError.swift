/// A failure as the user of the client sees it, or as the server reported it.
package struct SyncError: Error, Hashable, Sendable {
    /// The protocol's status codes, by number.
    package enum Code: Int32, Hashable, Sendable, CaseIterable {
        case cancelled = 1
        case unknown = 2
        case invalidArgument = 3
        case deadlineExceeded = 4
        case notFound = 5
        case alreadyExists = 6
        case permissionDenied = 7
        case resourceExhausted = 8
        case failedPrecondition = 9
        case aborted = 10
        case outOfRange = 11
        case unimplemented = 12
        case `internal` = 13
        case unavailable = 14
        case dataLoss = 15
        case unauthenticated = 16
    }

    package let code: Code
    package let message: String

    package init(_ code: Code, _ message: String = "") {
        self.code = code
        self.message = message
    }
}

extension SyncError.Code {
    /// Whether repeating the same call makes no sense.
    package var isPermanent: Bool {
        switch self {
        case .cancelled, .unknown, .deadlineExceeded, .resourceExhausted, .internal, .unavailable, .unauthenticated:
            false
        case .invalidArgument, .notFound, .alreadyExists, .permissionDenied, .failedPrecondition, .aborted, .outOfRange,
            .unimplemented, .dataLoss:
            true
        }
    }

    /// The same for writes, which the server aborts when they meet other writers.
    package var isPermanentForWrites: Bool { self.isPermanent && self != .aborted }
}
