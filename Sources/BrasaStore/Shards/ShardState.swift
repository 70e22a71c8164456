import BrasaDocuments

/// A part of one database's documents, chosen by the hash of the path. Guarded by `Shard.state`, and changed only with the
/// database's order held as well (`DatabaseHandle`), but while recovery loads a checkpoint.
struct ShardState: ~Copyable {
    private var chains = ChainTable()
    private(set) var counts = ShardCounts()

    var isEmpty: Bool { self.chains.isEmpty }

    func find(_ path: ResourcePath, hash: UInt32) -> DocumentChain? {
        self.chains.find(path, hash: hash)
    }

    /// Makes this the document's newest version. Nil for deletions of what is not there, which are ignored.
    mutating func add(_ version: DocumentChain.Version, path: ResourcePath, hash: UInt32) -> AddedVersion? {
        guard let chain = self.chains.find(path, hash: hash) else {
            guard version.fields != nil else { return nil }
            let chain = DocumentChain(path: path, version: version)
            self.chains.insert(chain, hash: hash)
            self.counts.add(version, 1)
            let history = HistoryChange(documentBytes: chain.documentBytes)
            return AddedVersion(chain: chain, before: nil, history: history)
        }
        var history = HistoryChange(documentBytes: -chain.documentBytes, isSuperseding: true)
        history.bytes -= Self.tombstoneBytes(chain)
        let before = chain.add(version)
        history.bytes += before.historyBytes + Self.tombstoneBytes(chain)
        history.documentBytes += chain.documentBytes
        self.counts.add(before, -1)
        self.counts.add(version, 1)
        self.counts.supersededVersions += 1
        return AddedVersion(chain: chain, before: before, history: history)
    }

    /// Takes back what `add` did last for this document.
    mutating func removeNewest(_ path: ResourcePath, hash: UInt32) -> RemovedVersion? {
        guard let chain = self.chains.find(path, hash: hash) else { return nil }
        var history = HistoryChange(isSuperseding: chain.supersededCount > 0)
        history.bytes -= Self.tombstoneBytes(chain)
        let documentBytes = chain.documentBytes
        guard let removed = chain.removeNewest() else {
            self.counts.add(chain.newest, -1)
            self.chains.remove(path, hash: hash)
            history.documentBytes = -documentBytes
            return RemovedVersion(chain: chain, version: chain.newest, isLast: true, history: history)
        }
        self.counts.add(removed, -1)
        self.counts.add(chain.newest, 1)
        self.counts.supersededVersions -= 1
        history.bytes += Self.tombstoneBytes(chain) - chain.newest.historyBytes
        history.documentBytes = chain.documentBytes - documentBytes
        let deletionTime = chain.fields == nil ? chain.time : nil
        return RemovedVersion(
            chain: chain,
            version: removed,
            isLast: false,
            deletionTime: deletionTime,
            history: history
        )
    }

    /// Forgets what no reader at `horizon` or later can see of this document.
    mutating func trim(_ path: ResourcePath, hash: UInt32, horizon: Int64) -> TrimmedChain? {
        guard let chain = self.chains.find(path, hash: hash) else { return nil }
        var trimmed = TrimmedChain(chain: chain)
        let (count, bytes) = chain.trim(before: horizon) { trimmed.versions.append((version: $0, successor: $1)) }
        self.counts.supersededVersions -= count
        trimmed.history.bytes -= bytes
        if chain.fields == nil, chain.time <= horizon {
            trimmed.history.bytes -= Self.tombstoneBytes(chain)
            trimmed.isGone = true
            self.chains.remove(path, hash: hash)
        }
        return trimmed
    }

    /// What a deleted document costs until it is dropped, about: chain, path and table slot, and an entry with a key of its
    /// own in each tree of names.
    private static func tombstoneBytes(_ chain: DocumentChain) -> Int {
        guard chain.fields == nil else { return 0 }
        let trees = chain.path.segmentCount > 2 ? 2 : 1
        return 148 + chain.path.bytes.count + trees * (Self.deletedNameBytes + chain.path.bytes.count)
    }

    /// References, the time of the deletion in key and entry, and what the key has besides the path's bytes.
    private static let deletedNameBytes = 40
}

/// What became of a document, for its database's order.
struct AddedVersion: Sendable {
    let chain: DocumentChain
    /// Nil: the document is new.
    let before: DocumentChain.Version?
    let history: HistoryChange
}

struct RemovedVersion: Sendable {
    let chain: DocumentChain
    let version: DocumentChain.Version
    /// There is no document any more, nor was there one.
    let isLast: Bool
    /// Nil: what is the newest again is no deletion.
    var deletionTime: Int64?
    let history: HistoryChange
}

struct TrimmedChain: Sendable {
    let chain: DocumentChain
    var versions: [(version: DocumentChain.Version, successor: DocumentChain.Version)] = []
    /// Not even readers of the past see the document.
    var isGone = false
    var history = HistoryChange()
}

struct HistoryChange: Sendable {
    var bytes = 0
    /// Of what is no history: the newest versions.
    var documentBytes = 0
    /// Something can be trimmed once nobody reads before the version that was added, or that was taken back.
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
