import BrasaDocuments

@testable import BrasaSync

/// A storage that the power can be taken from: what was done since the last operation that `StorageOperation.isDurable` names
/// may be gone then, the last of it first.
protocol LosingStorage: SyncStorage {
    /// All that may be lost is, or only some of it. Whoever used the storage is gone.
    func losePower(keepingSome: (_ count: Int) -> Int) throws
}

/// In memory. All changes are noted, and done again, up to some, after a loss.
final class LosingMemoryStorage: LosingStorage {
    struct Change {
        let make: (any StorageTables) throws(StorageError) -> Void
    }

    private struct Transaction {
        let operation: StorageOperation
        let changes: [Change]
    }

    private var memory = MemoryStorage(collector: .leastRecentlyUsed)
    private var transactions: [Transaction] = []
    private var durableCount = 0

    var viewReferences: ReferenceSet { self.memory.viewReferences }
    var sizeWatch: SizeWatch?

    func losePower(keepingSome: (_ count: Int) -> Int) throws {
        let kept = self.durableCount + keepingSome(self.transactions.count - self.durableCount)
        self.transactions.removeSubrange(kept...)
        self.durableCount = kept
        self.memory = MemoryStorage(collector: .leastRecentlyUsed)
        for transaction in self.transactions {
            try self.memory.transaction(transaction.operation) { tables throws(StorageError) in
                for change in transaction.changes { try change.make(tables) }
            }
        }
    }

    func transaction<Result>(
        _ operation: StorageOperation,
        _ body: (any StorageTables) throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        var changes: [Change] = []
        defer {
            self.transactions.append(Transaction(operation: operation, changes: changes))
            if operation.isDurable { self.durableCount = self.transactions.count }
        }
        return try self.memory.transaction(operation) { tables throws(StorageError) in
            let noting = NotingTables(tables)
            defer { changes = noting.changes }
            return try body(noting)
        }
    }

    /// Nothing is ever collected here.
    func collectGarbage(
        _ limits: CollectionLimits,
        active: Set<TargetID>
    ) throws(StorageError) -> CollectionOutcome {
        CollectionOutcome(removed: 0, isUnfinished: false)
    }

    func close() {}
}

private final class NotingTables: ForwardedTables {
    private(set) var changes: [LosingMemoryStorage.Change] = []

    private func note(
        _ change: @escaping (any StorageTables) throws(StorageError) -> Void
    ) throws(StorageError) {
        self.changes.append(LosingMemoryStorage.Change(make: change))
        try change(self.base)
    }

    override func appendBatch(_ batch: PendingBatch, of user: SyncUser) throws(StorageError) -> MutationBatch {
        self.changes.append(.init { tables throws(StorageError) in _ = try tables.appendBatch(batch, of: user) })
        return try self.base.appendBatch(batch, of: user)
    }
    override func removeBatch(_ batch: MutationBatch, of user: SyncUser) throws(StorageError) {
        try self.note { tables throws(StorageError) in try tables.removeBatch(batch, of: user) }
    }
    override func setWriteStreamPosition(
        _ position: WriteStreamPosition?,
        of user: SyncUser
    ) throws(StorageError) {
        try self.note { tables throws(StorageError) in try tables.setWriteStreamPosition(position, of: user) }
    }
    override func setOverlay(
        _ overlay: StoredOverlay?,
        at path: ResourcePath,
        of user: SyncUser
    ) throws(StorageError) {
        try self.note { tables throws(StorageError) in try tables.setOverlay(overlay, at: path, of: user) }
    }
    override func removeOverlays(ofBatch id: BatchID, of user: SyncUser) throws(StorageError) {
        try self.note { tables throws(StorageError) in try tables.removeOverlays(ofBatch: id, of: user) }
    }
    override func setDocument(_ document: SyncDocument) throws(StorageError) {
        try self.note { tables throws(StorageError) in try tables.setDocument(document) }
    }
    override func removeDocument(at path: ResourcePath) throws(StorageError) {
        try self.note { tables throws(StorageError) in try tables.removeDocument(at: path) }
    }
    override func noteUse(of path: ResourcePath) throws(StorageError) {
        try self.note { tables throws(StorageError) in try tables.noteUse(of: path) }
    }
    override func allocateTargetID() throws(StorageError) -> TargetID {
        self.changes.append(.init { tables throws(StorageError) in _ = try tables.allocateTargetID() })
        return try self.base.allocateTargetID()
    }
    override func setTargetData(_ data: TargetData) throws(StorageError) {
        try self.note { tables throws(StorageError) in try tables.setTargetData(data) }
    }
    override func releaseTarget(_ data: TargetData, seen: [ResourcePath]) throws(StorageError) {
        try self.note { tables throws(StorageError) in try tables.releaseTarget(data, seen: seen) }
    }
    override func addRemoteKeys(_ paths: Set<ResourcePath>, to target: TargetID) throws(StorageError) {
        try self.note { tables throws(StorageError) in try tables.addRemoteKeys(paths, to: target) }
    }
    override func removeRemoteKeys(_ paths: Set<ResourcePath>, from target: TargetID) throws(StorageError) {
        try self.note { tables throws(StorageError) in try tables.removeRemoteKeys(paths, from: target) }
    }
    override func setLastRemoteSnapshotVersion(_ version: Timestamp) throws(StorageError) {
        try self.note { tables throws(StorageError) in try tables.setLastRemoteSnapshotVersion(version) }
    }
    override func setBundleCreateTime(_ time: Timestamp, of id: UTF8Text) throws(StorageError) {
        try self.note { tables throws(StorageError) in try tables.setBundleCreateTime(time, of: id) }
    }
    override func setNamedQuery(_ query: NamedQuery) throws(StorageError) {
        try self.note { tables throws(StorageError) in try tables.setNamedQuery(query) }
    }
}
