package import BrasaDocuments
package import BrasaStatus

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
