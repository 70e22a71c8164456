import BrasaStatus

/// Why a bundle cannot be loaded.
enum BundleError: Error, Hashable, Sendable {
    /// No length, or one that is past the end.
    case badFraming(offset: Int)
    case badElement(offset: Int)
    case startsWithoutMetadata
    case unsupportedVersion(Int64)
    /// A document without its metadata right before it, or the other way round.
    case unpairedDocument
    case otherDatabase
    case documentCount(announced: Int64, found: Int64)
}

extension SyncError {
    init(_ error: BundleError) {
        self.init(.unknown, "The bundle is invalid: \(error).")
    }
}
