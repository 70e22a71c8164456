internal import BrasaDocuments
internal import BrasaStatus

extension SyncEngine {
    /// A query's results by the cache alone, without a view that stays.
    func readCached(_ query: SyncQuery) -> Result<ViewSnapshot, SyncError> {
        do throws(StorageError) {
            let result = try self.local.execute(query, usingPreviousResults: true, forView: false)
            return .success(ViewSnapshot(of: query, result.documents.values, isFromCache: true))
        } catch {
            return .failure(SyncError("The cache could not be read.", storage: error))
        }
    }
}
