import BrasaDocuments

/// A part of one database's documents, chosen by the hash of the path. Guarded by `Shard.state`.
///
/// `names` has every document in path order, so that a collection is a range of it, with what is nested below its
/// documents skipped by seeking; missing documents and collection ids are found the same way. `groups` has the documents
/// of nested collections once more by collection id: with the top-level collection of that id they make up a group.
/// Documents that were deleted, and keys that documents had, stand apart in each tree (`NameTree`, `ShardIndex`): reads of
/// the present pass them by.
struct ShardState: ~Copyable {
    private var chains = ChainTable()
    let names = NameTree()
    private(set) var groups: [CollectionID: NameTree] = [:]
    private(set) var counts = ShardCounts()
    /// The shard's parts of all indexes that are there or being built.
    private(set) var indexes: [ShardIndex] = []
    /// While recovery fills the shard: documents that are in no tree yet. Nil: there are none, new ones go there at once.
    private var unsorted: [DocumentChain]?

    /// Also of documents that are in no tree yet.
    var isEmpty: Bool { self.chains.isEmpty }

    func find(_ path: ResourcePath, hash: UInt32) -> DocumentChain? {
        self.chains.find(path, hash: hash)
    }

    /// Makes this the document's newest version; deletions of what is not there are ignored. Returns whether an older
    /// version, or the document's existence, became history.
    mutating func add(_ version: DocumentChain.Version, path: ResourcePath, hash: UInt32) -> HistoryChange {
        guard let chain = self.chains.find(path, hash: hash) else {
            guard version.fields != nil else { return HistoryChange() }
            let chain = DocumentChain(path: path, version: version)
            self.insert(chain, hash: hash)
            self.counts.add(version, 1)
            self.forEachIndex(of: path) { $0.add(version, behind: nil, to: chain) }
            return HistoryChange()
        }
        var change = HistoryChange(isSuperseding: true)
        change.bytes -= Self.tombstoneBytes(chain)
        let before = chain.add(version)
        change.bytes += before.historyBytes + Self.tombstoneBytes(chain)
        self.counts.add(before, -1)
        self.counts.add(version, 1)
        self.counts.supersededVersions += 1
        self.relink(chain, from: before)
        self.forEachIndex(of: path) { $0.add(version, behind: before, to: chain) }
        return change
    }

    /// Takes back what `add` did last for this document.
    mutating func removeNewest(_ path: ResourcePath, hash: UInt32) -> HistoryChange {
        guard let chain = self.chains.find(path, hash: hash) else { return HistoryChange() }
        var change = HistoryChange()
        change.bytes -= Self.tombstoneBytes(chain)
        guard let removed = chain.removeNewest() else {
            self.counts.add(chain.newest, -1)
            self.drop(chain, hash: hash)
            self.forEachIndex(of: path) { $0.takeBack(chain.newest, to: nil, of: chain) }
            return change
        }
        self.relink(chain, from: removed)
        self.forEachIndex(of: path) { $0.takeBack(removed, to: chain.newest, of: chain) }
        change.bytes += Self.tombstoneBytes(chain) - chain.newest.historyBytes
        self.counts.add(removed, -1)
        self.counts.add(chain.newest, 1)
        self.counts.supersededVersions -= 1
        return change
    }

    /// Forgets what no reader at `horizon` or later can see of this document.
    mutating func trim(_ path: ResourcePath, hash: UInt32, horizon: Int64) -> HistoryChange {
        guard let chain = self.chains.find(path, hash: hash) else { return HistoryChange() }
        let trimmed = chain.trim(before: horizon) { version, endTime in
            self.forEachIndex(of: path) { $0.forget(version, endTime: endTime, path: path) }
        }
        self.counts.supersededVersions -= trimmed.count
        var change = HistoryChange(bytes: -trimmed.bytes)
        if chain.fields == nil, chain.time <= horizon {
            change.bytes -= Self.tombstoneBytes(chain)
            self.drop(chain, hash: hash)
        }
        return change
    }

    mutating func add(_ index: Index) -> ShardIndex {
        let part = ShardIndex(definition: index.definition, counts: index.counts)
        self.indexes.append(part)
        return part
    }

    /// Takes an index's part out. To be let go of without the lock, since it may be large.
    mutating func remove(_ counts: IndexCounts) -> ShardIndex? {
        guard let place = self.indexes.firstIndex(where: { $0.counts === counts }) else { return nil }
        return self.indexes.remove(at: place)
    }

    private func forEachIndex(of path: ResourcePath, _ body: (ShardIndex) -> Void) {
        guard !self.indexes.isEmpty else { return }
        let collectionID = path.collectionID
        for index in self.indexes where index.covers(collectionID: collectionID) { body(index) }
    }

    private mutating func insert(_ chain: DocumentChain, hash: UInt32) {
        self.chains.insert(chain, hash: hash)
        if self.unsorted == nil { self.link(chain) } else { self.unsorted?.append(chain) }
    }

    var unsortedCount: Int { self.unsorted?.count ?? 0 }

    /// From now on new documents are only found by their path, until `endLoading`.
    mutating func beginLoading() {
        self.unsorted = self.unsorted ?? []
    }

    /// Puts the new documents into the trees, in order: neighbours meet in the same nodes, which costs much less than
    /// each looking for its place in a tree far larger than the processor's caches.
    mutating func endLoading() {
        guard let unsorted = self.unsorted else { return }
        self.unsorted = nil
        for chain in unsorted.sorted(by: { $0.path < $1.path }) { self.link(chain) }
    }

    private mutating func link(_ chain: DocumentChain) {
        self.names.insert(chain)
        guard chain.path.segmentCount > 2 else { return }
        let id = CollectionID(chain.path.collectionID)
        let group = self.groups[id] ?? NameTree()
        group.insert(chain)
        self.groups[id] = group
    }

    /// The document's newest version was another.
    private func relink(_ chain: DocumentChain, from before: DocumentChain.Version) {
        guard before.fields == nil || chain.fields == nil else { return }
        // What is being loaded may be in no tree yet.
        guard self.names.remove(chain.path, before) else { return }
        self.names.insert(chain)
        guard chain.path.segmentCount > 2, let group = self.groups[CollectionID(chain.path.collectionID)] else {
            return
        }
        group.remove(chain.path, before)
        group.insert(chain)
    }

    private mutating func drop(_ chain: DocumentChain, hash: UInt32) {
        self.chains.remove(chain.path, hash: hash)
        self.names.remove(chain.path, chain.newest)
        guard chain.path.segmentCount > 2 else { return }
        let id = CollectionID(chain.path.collectionID)
        guard let group = self.groups[id] else { return }
        group.remove(chain.path, chain.newest)
        if group.isEmpty { self.groups[id] = nil }
    }

    /// What a deleted document costs until it is dropped, about: chain, path, table slot and tree entries.
    private static func tombstoneBytes(_ chain: DocumentChain) -> Int {
        chain.fields == nil ? 160 + chain.path.bytes.count : 0
    }
}

struct HistoryChange {
    var bytes = 0
    /// Something can be trimmed once nobody reads before the version that was added.
    var isSuperseding = false
}

struct ShardCounts {
    /// Documents whose newest version is no deletion.
    var documents = 0
    var fieldBytes = 0
    var supersededVersions = 0

    mutating func add(_ newest: DocumentChain.Version, _ sign: Int) {
        guard let fields = newest.fields else { return }
        self.documents += sign
        self.fieldBytes += sign * fields.bytes.count
    }
}

/// A collection id as a dictionary's key.
struct CollectionID: Hashable, Sendable {
    let bytes: [UInt8]

    init(_ bytes: some Collection<UInt8>) {
        self.bytes = Array(bytes)
    }

    static func == (left: CollectionID, right: CollectionID) -> Bool { ByteOrder.equal(left.bytes, right.bytes) }

    func hash(into hasher: inout Hasher) {
        self.bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
    }
}
