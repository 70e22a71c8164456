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
        self.tables.memory.begin()
        let result = try body(self.tables)
        self.tables.memory.commit(keeping: self.viewReferences)
        return result
    }

    func collectGarbage(
        _ limits: CollectionLimits,
        active: Set<TargetID>
    ) throws(StorageError) -> CollectionOutcome {
        self.tables.memory.begin()
        let before = self.tables.allPaths()
        let removed = self.tables.memory.collect(limits, active: active, keeping: self.viewReferences)
        for path in before.subtracting(self.tables.allPaths()) { self.tables.memoryIndexes.noteChange(of: path) }
        return CollectionOutcome(removed: removed, isUnfinished: false)
    }

    func close() {}
}

final class IndexedMemoryTables: ForwardedTables {
    let memory: MemoryTables
    let memoryIndexes: MemoryIndexes
    private var ownReadCount = 0

    init(_ memory: MemoryTables) {
        self.memory = memory
        self.memoryIndexes = MemoryIndexes(memory)
        super.init(memory)
    }

    override var indexes: (any IndexTables)? { self.memoryIndexes }

    /// Documents read, known ones only.
    var readCount: Int { self.ownReadCount + self.memoryIndexes.readCount }

    func allPaths() -> Set<ResourcePath> { Set(self.memory.collections.values.flatMap(\.keys)) }

    // MARK: - What is counted

    override func document(at path: ResourcePath) -> SyncDocument {
        let document = self.memory.document(at: path)
        if document.isValid { self.ownReadCount += 1 }
        return document
    }

    override func documents(in collection: ResourcePath, readAfter time: Timestamp) -> [SyncDocument] {
        let documents = self.memory.documents(in: collection, readAfter: time)
        self.ownReadCount += documents.count
        return documents
    }

    // MARK: - What is noted

    override func setDocument(_ document: SyncDocument) {
        self.memory.setDocument(document)
        self.memoryIndexes.noteChange(of: document.path)
    }

    override func removeDocument(at path: ResourcePath) {
        self.memory.removeDocument(at: path)
        self.memoryIndexes.noteChange(of: path)
    }

    override func setOverlay(_ overlay: StoredOverlay?, at path: ResourcePath, of user: SyncUser) {
        self.memory.setOverlay(overlay, at: path, of: user)
        self.memoryIndexes.noteChange(of: path)
    }

    override func removeOverlays(ofBatch id: BatchID, of user: SyncUser) {
        for path in self.memory.tables(of: user).overlays.paths(ofBatch: id) { self.memoryIndexes.noteChange(of: path) }
        self.memory.removeOverlays(ofBatch: id, of: user)
    }
}
