internal import BrasaDocuments

extension SyncEngine {
    /// All or nothing; a bundle that was loaded before, or a newer one with its id, is nothing to do.
    func loadBundle(
        _ bytes: [UInt8],
        progress: (BundleProgress) -> Void
    ) -> Result<BundleProgress, SyncError> {
        let bundle: Bundle
        do throws(BundleError) {
            bundle = try Bundle(bytes, database: self.database)
        } catch {
            return .failure(SyncError(error))
        }
        let metadata = bundle.metadata
        let done = BundleProgress(metadata, documents: metadata.documentCount, bytes: metadata.byteCount)
        do throws(StorageError) {
            guard try self.local.isNew(metadata) else { return .success(done) }
            progress(BundleProgress(metadata, documents: 0, bytes: 0))
            let changes = try self.local.load(bundle)
            for (index, entry) in bundle.entries.enumerated() {
                progress(BundleProgress(metadata, documents: Int64(index + 1), bytes: entry.endOffset))
            }
            self.emit(changes)
            try self.local.noteLoaded(metadata)
            return .success(done)
        } catch {
            return .failure(SyncError(.unavailable, "The bundle could not be stored."))
        }
    }
}
