internal import BrasaDocuments

/// The tables of `MemoryStorage` as dictionaries.
final class MemoryTables: StorageTables {
    let collector: MemoryStorage.Collector
    private(set) var sequence: SequenceNumber = 0

    var users: [SyncUser: MemoryUser] = [:]
    /// Who asked last.
    var lastUser: (user: SyncUser, tables: MemoryUser)?
    private(set) var lastBatchID: BatchID = 0

    /// By collection, then by path.
    var collections: [ResourcePath: [ResourcePath: SyncDocument]] = [:]
    /// What the documents and targets are made of, without what keeps them; see `byteCount`.
    var documentBytes = 0
    var documentCount = 0
    var targetBytes = 0
    /// The document that was asked about last.
    var lastPlace: (document: ResourcePath, collection: ResourcePath)?
    private var collectionsByID: [UTF8Text: Set<ResourcePath>] = [:]
    /// How many documents and queued writes there are in each.
    private(set) var collectionUses: [ResourcePath: Int] = [:]

    private(set) var targets: [SyncTarget: TargetData] = [:]
    let remoteKeys = ReferenceSet()
    private(set) var lastTargetID: TargetID = 0
    var lastRemoteVersion = Timestamp.zero

    private var bundles: [UTF8Text: Timestamp] = [:]
    private var namedQueries: [UTF8Text: NamedQuery] = [:]

    /// Eager: documents of this transaction that something let go of. Otherwise: when documents were used last.
    var uses: [ResourcePath: SequenceNumber] = [:]

    var plan = CollectionPlan()

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

    func setTarget(_ data: TargetData?, for target: SyncTarget) {
        let old = self.targets[target]
        self.targets[target] = data
        let queryBytes = (old == nil) == (data == nil) ? 0 : target.byteCount
        self.targetBytes += data == nil ? -queryBytes : queryBytes
        self.targetBytes += (data?.resumeToken.count ?? 0) - (old?.resumeToken.count ?? 0)
    }

    // MARK: - Collections with something in them

    func collections(withID id: UTF8Text) -> [ResourcePath] {
        self.collectionsByID[id]?.sorted() ?? []
    }

    func retainCollection(of path: ResourcePath) {
        guard let collection = self.collection(of: path), self.count(anotherUseOf: collection) == 1,
            let id = UTF8Text(validating: path.collectionID)
        else { return }
        self.collectionsByID[id, default: []].insert(collection)
    }

    private func count(anotherUseOf collection: ResourcePath) -> Int {
        func increment(_ count: inout Int) -> Int {
            count += 1
            return count
        }
        return increment(&self.collectionUses[collection, default: 0])
    }

    func releaseCollection(of path: ResourcePath) {
        guard let collection = self.collection(of: path), let count = self.collectionUses[collection] else { return }
        self.collectionUses[collection] = count > 1 ? count - 1 : nil
        guard count <= 1, let id = UTF8Text(validating: path.collectionID) else { return }
        self.collectionsByID[id]?.remove(collection)
        if self.collectionsByID[id]?.isEmpty == true { self.collectionsByID[id] = nil }
    }

    // MARK: - Bundles

    func bundleCreateTime(_ id: UTF8Text) -> Timestamp? { self.bundles[id] }

    func setBundleCreateTime(_ time: Timestamp, of id: UTF8Text) {
        self.bundles[id] = time
    }

    func namedQuery(_ name: UTF8Text) -> NamedQuery? { self.namedQueries[name] }

    func setNamedQuery(_ query: NamedQuery) {
        self.namedQueries[query.name] = query
    }
}
