package import BrasaStore

/// Why a target ended; the stream goes on.
package enum TargetFailure: Error, Sendable, CustomStringConvertible {
    /// ALREADY_EXISTS: the other target of that id is unaffected.
    case duplicateID(Int32)
    /// INVALID_ARGUMENT.
    case allCollections
    /// INVALID_ARGUMENT.
    case nearest
    /// INVALID_ARGUMENT.
    case tooManyDocuments(max: Int)
    /// RESOURCE_EXHAUSTED.
    case tooManyTargets
    /// RESOURCE_EXHAUSTED: what is listened to is by itself more than there is room for.
    case selectionTooLarge
    /// RESOURCE_EXHAUSTED: the query's limit keeps more in memory than there is room for.
    case windowTooLarge
    /// RESOURCE_EXHAUSTED: again and again the query's results changed too much while they were gathered.
    case windowTooBusy
    case store(StoreError)

    package var description: String {
        switch self {
        case .duplicateID(let id): "Target ID already exists: \(id)"
        case .allCollections: "All-collection queries are not supported by real-time queries."
        case .nearest: "Nearest neighbor queries are not supported by real-time queries."
        case .tooManyDocuments(let max): "A target may name at most \(max) documents."
        case .selectionTooLarge: "The queries and names that are listened to are too large."
        case .tooManyTargets: "Too many targets are being listened to."
        case .windowTooLarge: "The query's limit is too large for a real-time query."
        case .windowTooBusy: "The query's results change too fast for a real-time query with a limit."
        case .store(let error): error.description
        }
    }
}

/// A target id that ends the whole stream, with INVALID_ARGUMENT.
package enum TargetIDError: Error, Hashable, Sendable, CustomStringConvertible {
    case negative(Int32)
    /// Ids of the client's choice and of the stream's on one stream.
    case mixed

    package var description: String {
        switch self {
        case .negative(let id): "Target ID must not be negative: \(id)"
        case .mixed: "Target IDs must either all be chosen by the client or all be assigned by the server."
        }
    }
}
