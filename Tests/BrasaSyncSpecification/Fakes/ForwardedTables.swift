import BrasaDocuments
import BrasaSync

/// Passes everything on. What is looked at on its way is overridden.
class ForwardedTables: StorageTables {
    let base: any StorageTables

    init(_ base: any StorageTables) {
        self.base = base
    }

    var indexes: (any IndexTables)? { self.base.indexes }

    // MARK: - The queue

    func appendBatch(_ batch: PendingBatch, of user: SyncUser) throws(StorageError) -> MutationBatch {
        try self.base.appendBatch(batch, of: user)
    }
    func nextBatch(after id: BatchID, of user: SyncUser) throws(StorageError) -> MutationBatch? {
        try self.base.nextBatch(after: id, of: user)
    }
    func batch(_ id: BatchID, of user: SyncUser) throws(StorageError) -> MutationBatch? {
        try self.base.batch(id, of: user)
    }
    func highestBatchID(of user: SyncUser) throws(StorageError) -> BatchID? {
        try self.base.highestBatchID(of: user)
    }
    func batches(of user: SyncUser, affecting paths: Set<ResourcePath>) throws(StorageError) -> [MutationBatch] {
        try self.base.batches(of: user, affecting: paths)
    }
    func allBatches(of user: SyncUser) throws(StorageError) -> [MutationBatch] { try self.base.allBatches(of: user) }
    func removeBatch(_ batch: MutationBatch, of user: SyncUser) throws(StorageError) {
        try self.base.removeBatch(batch, of: user)
    }
    func writeStreamPosition(of user: SyncUser) throws(StorageError) -> WriteStreamPosition? {
        try self.base.writeStreamPosition(of: user)
    }
    func setWriteStreamPosition(_ position: WriteStreamPosition?, of user: SyncUser) throws(StorageError) {
        try self.base.setWriteStreamPosition(position, of: user)
    }

    // MARK: - Overlays

    func overlay(at path: ResourcePath, of user: SyncUser) throws(StorageError) -> StoredOverlay? {
        try self.base.overlay(at: path, of: user)
    }
    func overlays(
        in collection: ResourcePath,
        of user: SyncUser
    ) throws(StorageError) -> [ResourcePath: StoredOverlay] {
        try self.base.overlays(in: collection, of: user)
    }
    func setOverlay(_ overlay: StoredOverlay?, at path: ResourcePath, of user: SyncUser) throws(StorageError) {
        try self.base.setOverlay(overlay, at: path, of: user)
    }
    func removeOverlays(ofBatch id: BatchID, of user: SyncUser) throws(StorageError) {
        try self.base.removeOverlays(ofBatch: id, of: user)
    }

    // MARK: - Documents

    func document(at path: ResourcePath) throws(StorageError) -> SyncDocument { try self.base.document(at: path) }
    func documents(in collection: ResourcePath, readAfter time: Timestamp) throws(StorageError) -> [SyncDocument] {
        try self.base.documents(in: collection, readAfter: time)
    }
    func setDocument(_ document: SyncDocument) throws(StorageError) { try self.base.setDocument(document) }
    func removeDocument(at path: ResourcePath) throws(StorageError) { try self.base.removeDocument(at: path) }
    func collections(withID id: UTF8Text) throws(StorageError) -> [ResourcePath] {
        try self.base.collections(withID: id)
    }
    func noteUse(of path: ResourcePath) throws(StorageError) { try self.base.noteUse(of: path) }

    // MARK: - Targets

    var sequence: SequenceNumber { self.base.sequence }
    func targetData(for target: SyncTarget) throws(StorageError) -> TargetData? {
        try self.base.targetData(for: target)
    }
    func allocateTargetID() throws(StorageError) -> TargetID { try self.base.allocateTargetID() }
    func setTargetData(_ data: TargetData) throws(StorageError) { try self.base.setTargetData(data) }
    func releaseTarget(_ data: TargetData, seen: [ResourcePath]) throws(StorageError) {
        try self.base.releaseTarget(data, seen: seen)
    }
    func remoteKeys(of target: TargetID) throws(StorageError) -> Set<ResourcePath> {
        try self.base.remoteKeys(of: target)
    }
    func addRemoteKeys(_ paths: Set<ResourcePath>, to target: TargetID) throws(StorageError) {
        try self.base.addRemoteKeys(paths, to: target)
    }
    func removeRemoteKeys(_ paths: Set<ResourcePath>, from target: TargetID) throws(StorageError) {
        try self.base.removeRemoteKeys(paths, from: target)
    }
    func lastRemoteSnapshotVersion() throws(StorageError) -> Timestamp { try self.base.lastRemoteSnapshotVersion() }
    func setLastRemoteSnapshotVersion(_ version: Timestamp) throws(StorageError) {
        try self.base.setLastRemoteSnapshotVersion(version)
    }

    // MARK: - Bundles

    func bundleCreateTime(_ id: UTF8Text) throws(StorageError) -> Timestamp? { try self.base.bundleCreateTime(id) }
    func setBundleCreateTime(_ time: Timestamp, of id: UTF8Text) throws(StorageError) {
        try self.base.setBundleCreateTime(time, of: id)
    }
    func namedQuery(_ name: UTF8Text) throws(StorageError) -> NamedQuery? { try self.base.namedQuery(name) }
    func setNamedQuery(_ query: NamedQuery) throws(StorageError) { try self.base.setNamedQuery(query) }
}
