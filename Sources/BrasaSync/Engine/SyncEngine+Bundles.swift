internal import BrasaDocuments
internal import BrasaStatus

extension SyncEngine {
    /// The documents are taken over all at once. When what follows fails, the same bundle can be loaded again; a bundle that was loaded before, or a newer one with its id, is nothing to do.
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
        // What is stored and no listener has seen yet.
        var changes: DocumentMap = [:]
        defer { if !changes.isEmpty { self.emit(changes) } }
        do throws(StorageError) {
            guard try self.local.isNew(metadata) else { return .success(done) }
            progress(BundleProgress(metadata, documents: 0, bytes: 0))
            changes = try self.local.loadDocuments(of: bundle)
            try self.local.saveQueries(of: bundle)
            for (index, entry) in bundle.entries.enumerated() {
                progress(BundleProgress(metadata, documents: Int64(index + 1), bytes: entry.endOffset))
            }
            self.emit(changes)
            changes = [:]
            try self.local.noteLoaded(metadata)
            return .success(done)
        } catch {
            return .failure(SyncError("The bundle could not be stored.", storage: error))
        }
    }
}
