package import BrasaDocuments

/// Where the engine keeps what shall outlive a call. Used on the executor only.
package protocol SyncStorage: AnyObject {
    /// Runs the body in one atomic transaction: when it or the storage throws, nothing has happened.
    func transaction<Result>(
        _ operation: StorageOperation,
        _ body: (any StorageTables) throws(StorageError) -> Result
    ) throws(StorageError) -> Result

    /// Documents that a view shows are not collected; the storage asks here.
    var viewReferences: ReferenceSet { get }

    /// Removes what has been unused for the longest, when the storage is larger than `bytesMax`; targets that are listened to
    /// stay. Storages that let go of documents at once have nothing to do.
    func collectGarbage(_ limits: CollectionLimits, active: Set<TargetID>) throws(StorageError) -> CollectionOutcome

    /// Who wants to be told that the storage is too large.
    var sizeWatch: SizeWatch? { get set }

    /// Lets go of files and locks. Transactions fail from now on.
    func close()
}

package struct SizeWatch {
    package let bytesMax: Int
    /// Called after each transaction that has changed something and leaves a storage that is not smaller. It must not use the
    /// storage before it has returned.
    package let exceeded: () -> Void

    package init(bytesMax: Int, exceeded: @escaping () -> Void) {
        self.bytesMax = bytesMax
        self.exceeded = exceeded
    }
}

/// What one run of the collector came to.
package struct CollectionOutcome: Hashable, Sendable {
    /// Whether it could do anything: documents, targets or space that it gave up.
    package let removed: Int
    /// The storage is still larger than it should be.
    package let isUnfinished: Bool
    /// By so much that the next run shall follow at once.
    package let isUrgent: Bool

    package init(removed: Int, isUnfinished: Bool, isUrgent: Bool = false) {
        self.removed = removed
        self.isUnfinished = isUnfinished
        self.isUrgent = isUrgent
    }
}

/// How much one run of the collector takes.
package struct CollectionLimits: Hashable, Sendable {
    package var bytesMax: Int
    /// Of the targets and the documents in no target.
    package var percent: Int
    package var countMax: Int

    package init(bytesMax: Int, percent: Int = 10, countMax: Int = 1000) {
        self.bytesMax = bytesMax
        self.percent = percent
        self.countMax = countMax
    }
}

/// Everything that a transaction can read and change.
package protocol StorageTables: QueueTables, OverlayTables, DocumentTables, TargetTables, BundleTables {
    /// Nil: the storage has no indexes on fields.
    var indexes: (any IndexTables)? { get }
}

/// Queued writes, each user's by themselves, oldest first.
package protocol QueueTables: AnyObject {
    /// Under the next id, which is greater than all before it.
    func appendBatch(_ batch: PendingBatch, of user: SyncUser) throws(StorageError) -> MutationBatch
    func nextBatch(after id: BatchID, of user: SyncUser) throws(StorageError) -> MutationBatch?
    func batch(_ id: BatchID, of user: SyncUser) throws(StorageError) -> MutationBatch?
    func highestBatchID(of user: SyncUser) throws(StorageError) -> BatchID?
    /// Oldest first.
    func batches(of user: SyncUser, affecting paths: Set<ResourcePath>) throws(StorageError) -> [MutationBatch]
    func allBatches(of user: SyncUser) throws(StorageError) -> [MutationBatch]
    /// The oldest batch. Its documents may be collected when nothing else holds them.
    func removeBatch(_ batch: MutationBatch, of user: SyncUser) throws(StorageError)

    /// Nil when there is no stream that can be taken up again.
    func writeStreamPosition(of user: SyncUser) throws(StorageError) -> WriteStreamPosition?
    func setWriteStreamPosition(_ position: WriteStreamPosition?, of user: SyncUser) throws(StorageError)
}

/// What all queued writes together make of a document, at most one overlay for each.
package protocol OverlayTables: AnyObject {
    func overlay(at path: ResourcePath, of user: SyncUser) throws(StorageError) -> StoredOverlay?
    /// Of documents directly in a collection.
    func overlays(in collection: ResourcePath, of user: SyncUser) throws(StorageError) -> [ResourcePath: StoredOverlay]
    /// Nil takes the overlay away.
    func setOverlay(_ overlay: StoredOverlay?, at path: ResourcePath, of user: SyncUser) throws(StorageError)
    func removeOverlays(ofBatch id: BatchID, of user: SyncUser) throws(StorageError)
}

/// Documents as the server confirmed or acknowledged them, shared by all users.
package protocol DocumentTables: AnyObject {
    /// An invalid document when nothing is known.
    func document(at path: ResourcePath) throws(StorageError) -> SyncDocument
    /// Directly in a collection, read after a time.
    func documents(in collection: ResourcePath, readAfter time: Timestamp) throws(StorageError) -> [SyncDocument]
    func setDocument(_ document: SyncDocument) throws(StorageError)
    func removeDocument(at path: ResourcePath) throws(StorageError)
    /// Collections with this id that have a document or a queued write, and perhaps some that had.
    func collections(withID id: UTF8Text) throws(StorageError) -> [ResourcePath]

    /// For the collector: the document came to a view or left one, or is out of limbo.
    func noteUse(of path: ResourcePath) throws(StorageError)
}

/// Targets with the documents that the server said belong to them, shared by all users.
package protocol TargetTables: AnyObject {
    /// Of this transaction; greater than all before it.
    var sequence: SequenceNumber { get }
    func targetData(for target: SyncTarget) throws(StorageError) -> TargetData?
    /// The next even id.
    func allocateTargetID() throws(StorageError) -> TargetID
    func setTargetData(_ data: TargetData) throws(StorageError)
    /// Nobody listens any more, and the view that showed these documents is gone. A storage that collects later keeps the
    /// data, with its newest token; one that collects at once lets go of both.
    func releaseTarget(_ data: TargetData, seen: [ResourcePath]) throws(StorageError)
    func remoteKeys(of target: TargetID) throws(StorageError) -> Set<ResourcePath>
    func addRemoteKeys(_ paths: Set<ResourcePath>, to target: TargetID) throws(StorageError)
    func removeRemoteKeys(_ paths: Set<ResourcePath>, from target: TargetID) throws(StorageError)
    /// Never decreases.
    func lastRemoteSnapshotVersion() throws(StorageError) -> Timestamp
    func setLastRemoteSnapshotVersion(_ version: Timestamp) throws(StorageError)
}

package protocol BundleTables: AnyObject {
    /// The create time of the newest bundle with this id that was loaded.
    func bundleCreateTime(_ id: UTF8Text) throws(StorageError) -> Timestamp?
    func setBundleCreateTime(_ time: Timestamp, of id: UTF8Text) throws(StorageError)
    func namedQuery(_ name: UTF8Text) throws(StorageError) -> NamedQuery?
    func setNamedQuery(_ query: NamedQuery) throws(StorageError)
}
