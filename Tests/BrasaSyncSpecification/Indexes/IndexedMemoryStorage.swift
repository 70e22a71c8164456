import BrasaDocuments

@testable import BrasaSync

/// A cache in memory that has indexes on fields, and counts what is read of it.
final class IndexedMemoryStorage: SyncStorage {
    let viewReferences = ReferenceSet()
    var sizeWatch: SizeWatch?
    let tables: IndexedMemoryTables

    init() {
        self.tables = IndexedMemoryTables(MemoryTables(collector: .leastRecentlyUsed))
    }

    func transaction<Result>(
        _ operation: StorageOperation,
        _ body: (any StorageTables) throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        self.tables.base.begin()
        let result = try body(self.tables)
        self.tables.base.commit(keeping: self.viewReferences)
        return result
    }

    func collectGarbage(
        _ limits: CollectionLimits,
        active: Set<TargetID>
    ) throws(StorageError) -> CollectionOutcome {
        self.tables.base.begin()
        let before = self.tables.allPaths()
        let removed = self.tables.base.collect(limits, active: active, keeping: self.viewReferences)
        for path in before.subtracting(self.tables.allPaths()) { self.tables.memoryIndexes.noteChange(of: path) }
        return CollectionOutcome(removed: removed, isUnfinished: false)
    }

    func close() {}
}

final class IndexedMemoryTables: StorageTables {
    let base: MemoryTables
    let memoryIndexes: MemoryIndexes
    private var ownReadCount = 0

    init(_ base: MemoryTables) {
        self.base = base
        self.memoryIndexes = MemoryIndexes(base)
    }

    var indexes: (any IndexTables)? { self.memoryIndexes }
    var sequence: SequenceNumber { self.base.sequence }

    /// Documents read, known ones only.
    var readCount: Int { self.ownReadCount + self.memoryIndexes.readCount }

    func allPaths() -> Set<ResourcePath> { Set(self.base.collections.values.flatMap(\.keys)) }

    // MARK: - What is counted

    func document(at path: ResourcePath) -> SyncDocument {
        let document = self.base.document(at: path)
        if document.isValid { self.ownReadCount += 1 }
        return document
    }

    func documents(in collection: ResourcePath, readAfter time: Timestamp) -> [SyncDocument] {
        let documents = self.base.documents(in: collection, readAfter: time)
        self.ownReadCount += documents.count
        return documents
    }

    // MARK: - What is noted

    func setDocument(_ document: SyncDocument) {
        self.base.setDocument(document)
        self.memoryIndexes.noteChange(of: document.path)
    }

    func removeDocument(at path: ResourcePath) {
        self.base.removeDocument(at: path)
        self.memoryIndexes.noteChange(of: path)
    }

    func setOverlay(_ overlay: StoredOverlay?, at path: ResourcePath, of user: SyncUser) {
        self.base.setOverlay(overlay, at: path, of: user)
        self.memoryIndexes.noteChange(of: path)
    }

    func removeOverlays(ofBatch id: BatchID, of user: SyncUser) {
        for path in self.base.overlays[user]?.paths(ofBatch: id) ?? [] { self.memoryIndexes.noteChange(of: path) }
        self.base.removeOverlays(ofBatch: id, of: user)
    }

    // MARK: - What is passed on

    func overlay(at path: ResourcePath, of user: SyncUser) -> StoredOverlay? { self.base.overlay(at: path, of: user) }
    func overlays(in collection: ResourcePath, of user: SyncUser) -> [ResourcePath: StoredOverlay] {
        self.base.overlays(in: collection, of: user)
    }
    func collections(withID id: UTF8Text) -> [ResourcePath] { self.base.collections(withID: id) }
    func noteUse(of path: ResourcePath) { self.base.noteUse(of: path) }

    func appendBatch(_ batch: PendingBatch, of user: SyncUser) -> MutationBatch {
        self.base.appendBatch(batch, of: user)
    }
    func nextBatch(after id: BatchID, of user: SyncUser) -> MutationBatch? { self.base.nextBatch(after: id, of: user) }
    func batch(_ id: BatchID, of user: SyncUser) -> MutationBatch? { self.base.batch(id, of: user) }
    func highestBatchID(of user: SyncUser) -> BatchID? { self.base.highestBatchID(of: user) }
    func batches(of user: SyncUser, affecting paths: Set<ResourcePath>) -> [MutationBatch] {
        self.base.batches(of: user, affecting: paths)
    }
    func allBatches(of user: SyncUser) -> [MutationBatch] { self.base.allBatches(of: user) }
    func removeBatch(_ batch: MutationBatch, of user: SyncUser) { self.base.removeBatch(batch, of: user) }
    func writeStreamPosition(of user: SyncUser) -> WriteStreamPosition? { self.base.writeStreamPosition(of: user) }
    func setWriteStreamPosition(_ position: WriteStreamPosition?, of user: SyncUser) {
        self.base.setWriteStreamPosition(position, of: user)
    }

    func targetData(for target: SyncTarget) -> TargetData? { self.base.targetData(for: target) }
    func allocateTargetID() -> TargetID { self.base.allocateTargetID() }
    func setTargetData(_ data: TargetData) { self.base.setTargetData(data) }
    func releaseTarget(_ data: TargetData, seen: [ResourcePath]) { self.base.releaseTarget(data, seen: seen) }
    func remoteKeys(of target: TargetID) -> Set<ResourcePath> { self.base.remoteKeys(of: target) }
    func addRemoteKeys(_ paths: Set<ResourcePath>, to target: TargetID) { self.base.addRemoteKeys(paths, to: target) }
    func removeRemoteKeys(_ paths: Set<ResourcePath>, from target: TargetID) {
        self.base.removeRemoteKeys(paths, from: target)
    }
    func lastRemoteSnapshotVersion() -> Timestamp { self.base.lastRemoteSnapshotVersion() }
    func setLastRemoteSnapshotVersion(_ version: Timestamp) { self.base.setLastRemoteSnapshotVersion(version) }

    func bundleCreateTime(_ id: UTF8Text) -> Timestamp? { self.base.bundleCreateTime(id) }
    func setBundleCreateTime(_ time: Timestamp, of id: UTF8Text) { self.base.setBundleCreateTime(time, of: id) }
    func namedQuery(_ name: UTF8Text) -> NamedQuery? { self.base.namedQuery(name) }
    func setNamedQuery(_ query: NamedQuery) { self.base.setNamedQuery(query) }
}
