package import BrasaDocuments
package import BrasaMessages
internal import BrasaStatus

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
    package var status: Status {
        switch self {
        case .malformed: Status(.invalidArgument, "The request is not a message of this method.")
        case .tooManyFields: Status(.invalidArgument, "The request has too many fields for its size.")
        case .tooManyWrites(let allowed):
            Status(.invalidArgument, "maximum \(allowed) writes allowed per request")
        case .filterTooDeep: Status(.invalidArgument, "The query's filters are nested too deeply.")
        case .document(let error): Status(error)
        }
    }
}

extension WireError {
    /// Runs what checks documents, so that its errors leave as this room's.
    static func wrapping<Output>(_ body: () throws(DocumentError) -> Output) throws(WireError) -> Output {
        do throws(DocumentError) { return try body() } catch { throw .document(error) }
    }
}
