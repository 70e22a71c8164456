internal import BrasaDocuments

extension MemoryTables {
    func appendBatch(_ pending: PendingBatch, of user: SyncUser) -> MutationBatch {
        let batch = MutationBatch(id: self.nextBatchID(), pending)
        self.tables(of: user).queue.append(batch)
        for path in batch.paths { self.retainCollection(of: path) }
        return batch
    }

    func nextBatch(after id: BatchID, of user: SyncUser) -> MutationBatch? {
        self.tables(of: user).queue.next(after: id)
    }

    func batch(_ id: BatchID, of user: SyncUser) -> MutationBatch? {
        self.tables(of: user).queue.batch(id)
    }

    func highestBatchID(of user: SyncUser) -> BatchID? { self.tables(of: user).queue.batches.last?.id }

    func batches(of user: SyncUser, affecting paths: Set<ResourcePath>) -> [MutationBatch] {
        self.tables(of: user).queue.batches(affecting: paths)
    }

    func allBatches(of user: SyncUser) -> [MutationBatch] {
        Array(self.tables(of: user).queue.batches)
    }

    func removeBatch(_ batch: MutationBatch, of user: SyncUser) {
        guard self.tables(of: user).queue.remove(batch) else { return }
        for path in batch.paths {
            self.releaseCollection(of: path)
            self.noteUse(of: path)
        }
    }

    func writeStreamPosition(of user: SyncUser) -> WriteStreamPosition? { self.tables(of: user).queue.position }

    func setWriteStreamPosition(_ position: WriteStreamPosition?, of user: SyncUser) {
        self.tables(of: user).queue.position = position
    }

    func overlay(at path: ResourcePath, of user: SyncUser) -> StoredOverlay? {
        let tables = self.tables(of: user)
        guard !tables.overlays.isEmpty, let collection = self.collection(of: path) else { return nil }
        return tables.overlays[path, in: collection]
    }

    func overlays(in collection: ResourcePath, of user: SyncUser) -> [ResourcePath: StoredOverlay] {
        self.tables(of: user).overlays.overlays(in: collection)
    }

    func setOverlay(_ overlay: StoredOverlay?, at path: ResourcePath, of user: SyncUser) {
        guard let collection = self.collection(of: path) else { return }
        self.tables(of: user).overlays[path, in: collection] = overlay
    }

    func removeOverlays(ofBatch id: BatchID, of user: SyncUser) {
        let tables = self.tables(of: user)
        for path in tables.overlays.removePaths(ofBatch: id) {
            guard let collection = self.collection(of: path) else { continue }
            tables.overlays[path, in: collection] = nil
        }
    }
}
