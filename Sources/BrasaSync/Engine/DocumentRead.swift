package import BrasaDocuments
internal import BrasaStatus

/// What a read of one document found.
package struct DocumentRead: Hashable, Sendable {
    /// Nil: it does not exist.
    package let document: SyncDocument?
    package let isFromCache: Bool
    package let hasPendingWrites: Bool
    /// When the server was asked for it, what it says.
    package var readTime: Timestamp?

    private static let offline = SyncError(
        .unavailable,
        "The document could not be read because the client is offline."
    )

    static func result(
        of snapshot: ViewSnapshot,
        at path: ResourcePath
    ) -> Result<DocumentRead, SyncError> {
        let document = snapshot.documents[path]
        if snapshot.isFromCache, document == nil { return .failure(Self.offline) }
        return .success(
            DocumentRead(
                document: document,
                isFromCache: snapshot.isFromCache,
                hasPendingWrites: snapshot.mutatedKeys.contains(path),
                readTime: snapshot.readTime
            )
        )
    }

    static func result(ofCached document: SyncDocument) -> Result<DocumentRead, SyncError> {
        switch document.kind {
        case .found, .missing:
            .success(
                DocumentRead(
                    document: document.isFound ? document : nil,
                    isFromCache: true,
                    hasPendingWrites: document.hasLocalMutations
                )
            )
        case .invalid, .unknown:
            .failure(SyncError(.unavailable, "The document is not in the cache."))
        }
    }
}
