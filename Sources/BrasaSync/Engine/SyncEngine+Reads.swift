internal import BrasaDocuments

extension SyncEngine {
    /// A query's results by the cache alone, without a view that stays.
    func readCached(_ query: SyncQuery) -> Result<ViewSnapshot, SyncError> {
        do throws(StorageError) {
            let result = try self.local.execute(query, usingPreviousResults: true, forView: false)
            let view = View(query, remoteKeys: result.remoteKeys)
            let change = view.apply(view.compute(result.documents), nil, resolvesLimbo: false)
            guard let snapshot = change.snapshot else {
                return .failure(SyncError(.internal, "The query has no state."))
            }
            return .success(snapshot.asInitial)
        } catch {
            return .failure(SyncError(.unavailable, "The cache could not be read."))
        }
    }
}
