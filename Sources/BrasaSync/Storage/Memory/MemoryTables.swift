internal import BrasaDocuments

/// The tables of `MemoryStorage` as dictionaries.
final class MemoryTables: StorageTables {
    let collector: MemoryStorage.Collector
    private(set) var sequence: SequenceNumber = 0

    var queues: [SyncUser: MemoryQueue] = [:]
    var overlays: [SyncUser: MemoryOverlays] = [:]
    private(set) var lastBatchID: BatchID = 0

    /// By collection, then by path.
    var collections: [ResourcePath: [ResourcePath: SyncDocument]] = [:]
    /// What the documents take.
    var byteCount = 0
    var collectionsByID: [UTF8Text: Set<ResourcePath>] = [:]

    var targets: [SyncTarget: TargetData] = [:]
    let remoteKeys = ReferenceSet()
    private(set) var lastTargetID: TargetID = 0
    var lastRemoteVersion = Timestamp.zero

    private var bundles: [UTF8Text: Timestamp] = [:]
    private var namedQueries: [UTF8Text: NamedQuery] = [:]

    /// Eager: documents of this transaction that something let go of. Otherwise: when documents were used last.
    var uses: [ResourcePath: SequenceNumber] = [:]

    var indexes: (any IndexTables)? { nil }

    init(collector: MemoryStorage.Collector) {
        self.collector = collector
    }

    func begin() {
        self.sequence += 1
    }

    func nextBatchID() -> BatchID {
        self.lastBatchID += 1
        return self.lastBatchID
    }

    func allocateTargetID() -> TargetID {
        self.lastTargetID += 2
        return self.lastTargetID
    }

    func noteUse(of path: ResourcePath) {
        self.uses[path] = self.sequence
    }

    func bundleCreateTime(_ id: UTF8Text) -> Timestamp? { self.bundles[id] }

    func setBundleCreateTime(_ time: Timestamp, of id: UTF8Text) {
        self.bundles[id] = time
    }

    func namedQuery(_ name: UTF8Text) -> NamedQuery? { self.namedQueries[name] }

    func setNamedQuery(_ query: NamedQuery) {
        self.namedQueries[query.name] = query
    }
}
