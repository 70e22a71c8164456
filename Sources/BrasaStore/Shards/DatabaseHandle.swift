package import BrasaDocuments
import Synchronization

/// One database: its name, interned, and its documents. It stands for its name, and two of one name are equal. Of one store
/// there are never two at once: whoever holds one keeps it in the store, and one without documents goes when nobody does,
/// before another is made for its name.
///
/// Documents are spread over shards by the hash of their path; their orders are one tree each, for all shards, under one
/// lock. A walk of an order holds it for a bounded number of steps (`ScanBudget`), a commit for a run of its changes, so that
/// a commit waits for a chunk of each scan at most for every run; look-ups of documents do without it. Shards are locked under
/// it, never the other way round, and a document changes with both held, but while recovery loads a checkpoint.
package final class DatabaseHandle: Sendable {
    package let name: DatabaseName
    /// Computed once: locks and listeners look databases up all the time.
    private let nameHash: Int
    let shards: [Shard]
    let order = Mutex(OrderState())
    let history: ReadHistory
    let recent = RecentChanges()
    let beforeImageSubscriptions = Atomic<Int>(0)
    /// Whether commits record what documents were before.
    var hasImageSubscriptions: Bool { self.beforeImageSubscriptions.load(ordering: .relaxed) > 0 }
    private let hash: KeyedHash

    init(name: DatabaseName, shardCount: Int, hash: KeyedHash, oldestReadTime: Int64, historyTotal: HistoryTotal) {
        self.name = name
        self.nameHash = name.hashValue
        self.history = ReadHistory(oldest: oldestReadTime, total: historyTotal)
        self.shards = (0..<shardCount).map { _ in Shard() }
        self.hash = hash
    }

    /// The document's shard, and the half of its hash that the shard's table goes by.
    func place(_ path: ResourcePath) -> (shard: Shard, hash: UInt32) {
        let (index, hash) = self.placeIndex(path)
        return (self.shards[index], hash)
    }

    private func placeIndex(_ path: ResourcePath) -> (shard: Int, hash: UInt32) {
        let hash = self.hash(path.bytes)
        let index = Int(truncatingIfNeeded: ((hash >> 32) &* UInt64(self.shards.count)) >> 32)
        return (index, UInt32(truncatingIfNeeded: hash))
    }

    /// Makes this the document's newest version. Nil for deletions of what is not there, which are ignored.
    @discardableResult
    func add(_ version: DocumentChain.Version, to path: ResourcePath) -> AddedVersion? {
        let (shard, hash) = self.place(path)
        return self.order.withLock { order in
            let added = shard.state.withLock { $0.add(version, path: path, hash: hash) }
            if let added { order.add(version, added) }
            return added
        }
    }

    /// The same for several documents, in one visit to the order, one after the other.
    func add(_ changes: ArraySlice<DocumentChange>, time: Int64) -> [AddedVersion?] {
        let places = changes.map { self.place($0.path) }
        return self.order.withLock { order in
            var all: [AddedVersion?] = []
            all.reserveCapacity(places.count)
            for (change, (shard, hash)) in zip(changes, places) {
                let version = change.version(at: time)
                let added = shard.state.withLock { $0.add(version, path: change.path, hash: hash) }
                if let added { order.add(version, added) }
                all.append(added)
            }
            return all
        }
    }

    /// Puts documents of a checkpoint into their shards, and not into the order: while they are loaded, nobody looks for them.
    /// Threads that do this at once begin at different shards, and hold each once.
    func place(_ entries: [RecordedDocuments.Entry], beginningAt start: Int) -> RecordedDocuments.Placed {
        var places: [[(index: Int, hash: UInt32)]] = Array(repeating: [], count: self.shards.count)
        for (index, entry) in entries.enumerated() {
            let (shard, hash) = self.placeIndex(entry.path)
            places[shard].append((index: index, hash: hash))
        }
        var added = [AddedVersion?](repeating: nil, count: entries.count)
        for offset in self.shards.indices {
            let shard = (start + offset) % self.shards.count
            self.shards[shard].state.withLock { state in
                for (index, hash) in places[shard] {
                    added[index] = state.add(entries[index].version, path: entries[index].path, hash: hash)
                }
            }
        }
        return RecordedDocuments.Placed(added)
    }

    /// Takes back what `add` did last for these documents. Returns what that was, of those that were there.
    func removeNewest(_ changes: ArraySlice<DocumentChange>) -> [RemovedVersion] {
        let places = changes.map { self.place($0.path) }
        return self.order.withLock { order in
            var all: [RemovedVersion] = []
            for (change, (shard, hash)) in zip(changes, places) {
                guard let removed = shard.state.withLock({ $0.removeNewest(change.path, hash: hash) }) else { continue }
                order.takeBack(removed)
                all.append(removed)
            }
            return all
        }
    }

    /// Forgets what no reader at an item's time or later can see of its document. Returns by how much history grew.
    func trim(_ items: ArraySlice<GarbageQueue.Item>) -> Int {
        let places = items.map { self.place($0.path) }
        return self.order.withLock { order in
            var bytes = 0
            for (item, (shard, hash)) in zip(items, places) {
                let trimmed = shard.state.withLock { $0.trim(item.path, hash: hash, horizon: item.time) }
                guard let trimmed else { continue }
                order.forget(trimmed)
                bytes += trimmed.history.bytes
            }
            return bytes
        }
    }

    /// Nothing in memory, not even versions that only the past can see.
    var isEmpty: Bool {
        self.history.garbage.first == nil && self.shards.allSatisfy { $0.state.withLock { $0.isEmpty } }
    }

    var counts: ShardCounts {
        self.shards.reduce(into: ShardCounts()) { total, shard in
            let counts = shard.state.withLock { $0.counts }
            total.documents += counts.documents
            total.fieldBytes += counts.fieldBytes
            total.supersededVersions += counts.supersededVersions
        }
    }
}

extension DatabaseHandle: Hashable {
    /// Identity is a short cut: it spares looking at names.
    package static func == (left: DatabaseHandle, right: DatabaseHandle) -> Bool {
        left === right || left.nameHash == right.nameHash && left.name == right.name
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(self.nameHash)
    }
}
