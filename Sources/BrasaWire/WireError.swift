package import BrasaDocuments
package import BrasaGRPC

/// Why a message was refused before anything was done with it.
package enum WireError: Error, Hashable, Sendable {
    /// The bytes are no message of the method: truncated, a wrong length or wire type.
    case malformed
    /// So many fields that unpacking them would take far more memory than the message.
    case tooManyFields
    /// In one request.
    case tooManyWrites(allowed: Int)
    /// Filters within filters beyond `StructuredQuery.filterDepthMax`.
    case filterTooDeep
    /// A name, value, path or write in it that breaks the documents' rules.
    case document(DocumentError)

    /// How a call ends that was asked with such a message. Never INTERNAL, which clients retry for minutes.
    package var status: GRPCStatus {
        switch self {
        case .malformed: GRPCStatus(.invalidArgument, "The request is not a message of this method.")
        case .tooManyFields: GRPCStatus(.invalidArgument, "The request has too many fields for its size.")
        case .tooManyWrites(let allowed):
            GRPCStatus(.invalidArgument, "maximum \(allowed) writes allowed per request")
        case .filterTooDeep: GRPCStatus(.invalidArgument, "The query's filters are nested too deeply.")
        case .document(let error): GRPCStatus(error)
        }
    }
}

extension GRPCStatus {
    package init(_ error: DocumentError) {
        let code: GRPCStatusCode =
            switch error.code {
            case .invalidArgument: .invalidArgument
            case .notFound: .notFound
            case .alreadyExists: .alreadyExists
            case .failedPrecondition: .failedPrecondition
            }
        self.init(code, error.message)
    }
}

extension WireError {
    /// Runs what checks documents, so that its errors leave as this room's.
    static func wrapping<Output>(_ body: () throws(DocumentError) -> Output) throws(WireError) -> Output {
        do throws(DocumentError) { return try body() } catch { throw .document(error) }
    }
}
