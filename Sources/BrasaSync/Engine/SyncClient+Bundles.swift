package import BrasaDocuments

extension SyncClient {
    /// Takes over the bundle's documents where they are newer than the cache's.
    package func loadBundle(
        _ bytes: [UInt8],
        progress: (BundleProgress) -> Void = { _ in },
        completion: (Result<BundleProgress, SyncError>) -> Void
    ) {
        if let end = self.end { return completion(.failure(end)) }
        completion(self.engine.loadBundle(bytes, progress: progress))
    }

    /// The query of that name in a bundle that was loaded.
    package func namedQuery(_ name: UTF8Text) -> SyncQuery? {
        guard self.end == nil else { return nil }
        return (try? self.engine.local.namedQuery(name))?.query
    }
}
