internal import BrasaDocuments

extension MemoryTables {
    func appendBatch(_ pending: PendingBatch, of user: SyncUser) -> MutationBatch {
        let batch = MutationBatch(id: self.nextBatchID(), pending)
        self.queues[user, default: MemoryQueue()].append(batch)
        for path in batch.paths { self.retainCollection(of: path) }
        return batch
    }

    func nextBatch(after id: BatchID, of user: SyncUser) -> MutationBatch? {
        self.queues[user]?.next(after: id)
    }

    func batch(_ id: BatchID, of user: SyncUser) -> MutationBatch? {
        self.queues[user]?.batch(id)
    }

    func highestBatchID(of user: SyncUser) -> BatchID? { self.queues[user]?.batches.last?.id }

    func batches(of user: SyncUser, affecting paths: Set<ResourcePath>) -> [MutationBatch] {
        self.queues[user]?.batches(affecting: paths) ?? []
    }

    func allBatches(of user: SyncUser) -> [MutationBatch] {
        self.queues[user].map { Array($0.batches) } ?? []
    }

    func removeBatch(_ batch: MutationBatch, of user: SyncUser) {
        guard self.queues[user]?.remove(batch) == true else { return }
        if self.queues[user]?.isEmpty == true { self.queues[user] = nil }
        for path in batch.paths {
            self.releaseCollection(of: path)
            self.noteUse(of: path)
        }
    }

    func writeStreamPosition(of user: SyncUser) -> WriteStreamPosition? { self.queues[user]?.position }

    func setWriteStreamPosition(_ position: WriteStreamPosition?, of user: SyncUser) {
        self.queues[user, default: MemoryQueue()].position = position
    }

    func overlay(at path: ResourcePath, of user: SyncUser) -> StoredOverlay? {
        self.overlays[user]?[path]
    }

    func overlays(in collection: ResourcePath, of user: SyncUser) -> [ResourcePath: StoredOverlay] {
        self.overlays[user]?.overlays(in: collection) ?? [:]
    }

    func setOverlay(_ overlay: StoredOverlay?, at path: ResourcePath, of user: SyncUser) {
        self.overlays[user, default: MemoryOverlays()][path] = overlay
    }

    func removeOverlays(ofBatch id: BatchID, of user: SyncUser) {
        self.overlays[user]?.removeAll(ofBatch: id)
    }
}
