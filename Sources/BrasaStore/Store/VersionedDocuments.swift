import BrasaDocuments
import BrasaPlatform
import Synchronization

/// All documents in memory with their versions and what follows their changes. Knows no log: recovery fills it and
/// commits change it the same way.
final class VersionedDocuments: Sendable {
    let registry: DatabaseRegistry
    let history: ReadHistory
    let changes: ChangeHistory
    private let garbage = GarbageQueue()
    private let configuration: Store.Configuration

    /// Bounds one turn of pruning.
    private static let pruneItemsMax = 512
    private static let parallelLoadMin = 100_000
    private static let loadThreads = 4

    init(configuration: Store.Configuration, entropy: Entropy) {
        let hash = KeyedHash(key0: entropy.next(), key1: entropy.next())
        self.registry = DatabaseRegistry(shardCount: configuration.shards, hash: hash)
        self.history = ReadHistory(oldest: .min)
        self.changes = ChangeHistory(completeAfter: .min, changesMax: configuration.recentChangesMax)
        self.configuration = configuration
    }

    /// Recovery is done; versions before this time were not kept. Nor were the changes up to the time of the checkpoint
    /// that it began with, if there was one.
    func resume(oldestReadTime: Int64, checkpoint: Int64?) {
        _ = self.history.raise(to: oldestReadTime, underPressure: true)
        if let checkpoint { self.changes.forget(through: checkpoint) }
    }

    /// What `settle` has to book once the commit is certain.
    struct Pending {
        var historyBytes = 0
        var superseding = Superseding.none
    }

    /// Which of a commit's changes made an older version history.
    enum Superseding {
        case none
        case all
        /// Indices into the changes, more than none and fewer than all.
        case some([Int])
    }

    /// Adds versions that only readers at `time` or later see, and the changes for those who follow them.
    func add(_ changes: [DocumentChange], time: Int64) -> Pending {
        self.changes.append(changes, time: time)
        var pending = Pending()
        var superseding: [Int] = []
        for (index, change) in changes.enumerated() {
            let (shard, hash) = change.database.place(change.path)
            let version = change.version(at: time)
            let effect = shard.state.withLock { $0.add(version, path: change.path, hash: hash) }
            pending.historyBytes += effect.bytes
            guard effect.isSuperseding else { continue }
            // Nearly all commits have one change, and need no list of them.
            if changes.count == 1 { pending.superseding = .all } else { superseding.append(index) }
        }
        if !superseding.isEmpty { pending.superseding = superseding.count == changes.count ? .all : .some(superseding) }
        return pending
    }

    func settle(_ changes: [DocumentChange], _ pending: Pending, time: Int64) {
        var garbageBytes = 0
        switch pending.superseding {
        case .none: break
        case .all: garbageBytes = self.garbage.append(changes, time: time)
        case .some(let indices): garbageBytes = self.garbage.append(indices.map { changes[$0] }, time: time)
        }
        self.history.add(bytes: pending.historyBytes + garbageBytes)
    }

    /// Undoes `add`, newest first. Nobody has seen the versions: their time is above the watermark.
    func takeBack(_ changes: [DocumentChange]) {
        for change in changes.reversed() {
            let (shard, hash) = change.database.place(change.path)
            _ = shard.state.withLock { $0.removeNewest(change.path, hash: hash) }
        }
        self.changes.removeNewest(changes.count)
    }

    /// What recovery adds until `endLoading` is not in order yet: neither scans nor pruning may run before.
    func beginLoading(_ database: DatabaseHandle) {
        for shard in database.shards { shard.state.withLock { $0.beginLoading() } }
    }

    /// Large loads are sorted on several threads, a shard at a time; the outcome is the same.
    func endLoading() {
        let shards = self.registry.all.flatMap(\.shards)
        let unsorted = shards.reduce(0) { $0 + $1.state.withLock { $0.unsortedCount } }
        guard unsorted >= Self.parallelLoadMin else {
            for shard in shards { shard.state.withLock { $0.endLoading() } }
            return
        }
        let next = Mutex(0)
        let workers = (0..<Self.loadThreads).map { Worker(name: "brasa-load-\($0)") }
        for worker in workers {
            worker.start {
                let index = next.withLock { next in
                    defer { next += 1 }
                    return next
                }
                guard index < shards.count else { return false }
                shards[index].state.withLock { $0.endLoading() }
                return true
            }
        }
        for worker in workers { worker.stop() }
    }

    /// A document of a checkpoint, which has no history.
    func load(_ version: DocumentChain.Version, path: ResourcePath, in database: DatabaseHandle) {
        let (shard, hash) = database.place(path)
        _ = shard.state.withLock { $0.add(version, path: path, hash: hash) }
    }

    /// Forgets a bounded number of versions that are out of the window, or too much. `now` is at most the watermark.
    /// Returns whether there is more to do.
    func prune(now: Int64) -> Bool {
        if self.prune(to: now.before(self.configuration.history), underPressure: false) { return true }
        guard self.history.bytes > self.configuration.historyBytesMax,
            let horizon = self.garbage.horizon(taking: Self.pruneItemsMax)
        else { return false }
        return self.prune(to: min(horizon, now.before(self.configuration.historyMin)), underPressure: true)
            && self.history.bytes > self.configuration.historyBytesMax
    }

    /// Whether `prune` would find something to do, unless a pin keeps it.
    func isPruningDue(now: Int64) -> Bool {
        guard let first = self.garbage.horizon(taking: 1) else { return false }
        if first <= now.before(self.configuration.history) { return true }
        return self.history.bytes > self.configuration.historyBytesMax
            && first <= now.before(self.configuration.historyMin)
    }

    private func prune(to wanted: Int64, underPressure: Bool) -> Bool {
        let horizon = self.history.raise(to: wanted, underPressure: underPressure)
        let items = self.garbage.take(through: horizon, limit: Self.pruneItemsMax)
        var bytes = -items.count * GarbageQueue.Item.bytes
        for item in items {
            let (shard, hash) = item.database.place(item.path)
            // Up to the item's own time: a document that changed often is trimmed a version at a time, and the lock is
            // never held for all of them.
            bytes += shard.state.withLock { $0.trim(item.path, hash: hash, horizon: item.time).bytes }
        }
        self.history.add(bytes: bytes)
        return underPressure ? !items.isEmpty : items.count == Self.pruneItemsMax
    }
}

extension DocumentChange {
    func version(at time: Int64) -> DocumentChain.Version {
        switch self.outcome {
        case .delete: DocumentChain.Version(fields: nil, createTime: time, time: time)
        case .set(let fields, let createTime):
            DocumentChain.Version(fields: fields, createTime: createTime?.microseconds ?? time, time: time)
        }
    }
}

extension Int64 {
    /// This time less a duration; the earliest time there is when that is out of range.
    func before(_ duration: Duration) -> Int64 {
        let (time, overflow) = self.subtractingReportingOverflow(duration.wholeMicroseconds)
        return overflow ? .min : time
    }
}
