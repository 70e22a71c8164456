package import BrasaDocuments

/// How something ended that was asked of a service: one of the canonical codes, a message for people, and optionally a
/// serialized `google.rpc.Status` with details whose code equals `code`. Doors tell it as their protocol has it.
package struct Status: Error, Hashable, Sendable {
    package var code: StatusCode
    package var message: String
    package var details: [UInt8]?

    package init(_ code: StatusCode, _ message: String = "", details: [UInt8]? = nil) {
        self.code = code
        self.message = message
        self.details = details
    }

    package var isOK: Bool { self.code == .ok }

    package static let ok = Status(.ok)
}

extension Status: CustomStringConvertible {
    package var description: String { self.message.isEmpty ? self.code.name : "\(self.code.name): \(self.message)" }
}

/// The closed set of `google.rpc.Code`, by the numbers that messages have them in.
package enum StatusCode: Int, CaseIterable, Hashable, Sendable {
    case ok = 0
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

extension StatusCode {
    /// The name in capitals that clients, logs and bodies of JSON show.
    package var name: String {
        switch self {
        case .ok: "OK"
        case .cancelled: "CANCELLED"
        case .unknown: "UNKNOWN"
        case .invalidArgument: "INVALID_ARGUMENT"
        case .deadlineExceeded: "DEADLINE_EXCEEDED"
        case .notFound: "NOT_FOUND"
        case .alreadyExists: "ALREADY_EXISTS"
        case .permissionDenied: "PERMISSION_DENIED"
        case .resourceExhausted: "RESOURCE_EXHAUSTED"
        case .failedPrecondition: "FAILED_PRECONDITION"
        case .aborted: "ABORTED"
        case .outOfRange: "OUT_OF_RANGE"
        case .unimplemented: "UNIMPLEMENTED"
        case .internal: "INTERNAL"
        case .unavailable: "UNAVAILABLE"
        case .dataLoss: "DATA_LOSS"
        case .unauthenticated: "UNAUTHENTICATED"
        }
    }
}

extension Status {
    package init(_ error: DocumentError) {
        let code: StatusCode =
            switch error.code {
            case .invalidArgument: .invalidArgument
            case .notFound: .notFound
            case .alreadyExists: .alreadyExists
            case .failedPrecondition: .failedPrecondition
            }
        self.init(code, error.message)
    }
}
