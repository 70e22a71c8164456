import BrasaDocuments
import BrasaPlatform
import Synchronization

/// All documents in memory with their versions and what follows their changes. Knows no log: recovery fills it and
/// commits change it the same way.
final class VersionedDocuments: Sendable {
    let registry: DatabaseRegistry
    let history: ReadHistory
    let changes: ChangeHistory
    /// About what the newest versions take.
    private let keptBytes = Atomic<Int>(0)
    private let garbage = GarbageQueue()
    private let configuration: Store.Configuration

    /// Bounds one turn of pruning.
    private static let pruneItemsMax = 512

    init(configuration: Store.Configuration, entropy: Entropy) {
        let hash = KeyedHash(key0: entropy.next(), key1: entropy.next())
        self.registry = DatabaseRegistry(shardCount: configuration.shards, hash: hash)
        self.history = ReadHistory(oldest: .min)
        self.changes = ChangeHistory(completeAfter: .min, changesMax: configuration.recentChangesMax)
        self.configuration = configuration
    }

    var documentBytes: Int { self.keptBytes.load(ordering: .relaxed) }

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
        // Nearly all commits have one change, and need no lists.
        if changes.count == 1, let change = changes.first {
            let effect = change.database.add(change.version(at: time), to: change.path)
            self.note(effect, in: &pending)
            if effect.isSuperseding { pending.superseding = .all }
            return pending
        }
        var superseding: [Int] = []
        var run = 0..<0
        while run.upperBound < changes.count {
            run = changes.orderRun(from: run.upperBound, \.database)
            for (index, effect) in zip(run, changes[run.lowerBound].database.add(changes[run], time: time)) {
                self.note(effect, in: &pending)
                if effect.isSuperseding { superseding.append(index) }
            }
        }
        if !superseding.isEmpty { pending.superseding = superseding.count == changes.count ? .all : .some(superseding) }
        return pending
    }

    private func note(_ effect: HistoryChange, in pending: inout Pending) {
        pending.historyBytes += effect.bytes
        self.keptBytes.wrappingAdd(effect.documentBytes, ordering: .relaxed)
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
        var runs: [Range<Int>] = []
        while (runs.last?.upperBound ?? 0) < changes.count {
            runs.append(changes.orderRun(from: runs.last?.upperBound ?? 0, \.database))
        }
        for run in runs.reversed() {
            self.keptBytes.wrappingAdd(changes[run.lowerBound].database.removeNewest(changes[run]), ordering: .relaxed)
        }
        self.changes.removeNewest(changes.count)
    }

    /// What recovery adds until `endLoading` is not in order yet: neither scans nor pruning may run before.
    func beginLoading(_ database: DatabaseHandle) {
        database.order.withLock { $0.beginLoading() }
    }

    func endLoading() {
        for database in self.registry.all {
            let unsorted = database.order.withLock { $0.takeUnsorted() }
            let sorted = LoadedDocuments.sorted(unsorted)
            database.order.withLock { $0.endLoading(sorted) }
        }
    }

    /// A document of a checkpoint, which has no history.
    func load(_ version: DocumentChain.Version, path: ResourcePath, in database: DatabaseHandle) {
        self.keptBytes.wrappingAdd(database.add(version, to: path).documentBytes, ordering: .relaxed)
    }

    /// Forgets a bounded number of versions that are out of the window, or too much. `now` is at most the watermark.
    /// Returns whether there is more to do.
    ///
    /// - Parameter bytesMax: what is more than this goes before its time; nil: as configured.
    func prune(now: Int64, historyBytesMax bytesMax: Int? = nil) -> Bool {
        let historyBytesMax = bytesMax ?? self.configuration.historyBytesMax
        if self.prune(to: now.before(self.configuration.history), underPressure: false) { return true }
        guard self.history.bytes > historyBytesMax,
            let horizon = self.garbage.horizon(taking: Self.pruneItemsMax)
        else { return false }
        return self.prune(to: min(horizon, now.before(self.configuration.historyMin)), underPressure: true)
            && self.history.bytes > historyBytesMax
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
        var run = 0..<0
        while run.upperBound < items.count {
            // Up to each item's own time: a document that changed often is trimmed a version at a time, and the lock is
            // never held for all of them.
            run = items.orderRun(from: run.upperBound, \.database)
            bytes += items[run.lowerBound].database.trim(items[run])
        }
        self.history.add(bytes: bytes)
        return underPressure ? !items.isEmpty : items.count == Self.pruneItemsMax
    }
}

extension Array {
    /// Neighbours of one database that share a visit to its order: who changes many documents waits there once for all of a
    /// run, and others for a run at most.
    fileprivate func orderRun(from start: Int, _ database: (Element) -> DatabaseHandle) -> Range<Int> {
        var end = start + 1
        while end < Swift.min(self.count, start + 64), database(self[end]) === database(self[start]) { end += 1 }
        return start..<end
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
        let (time, overflow) = self.subtractingReportingOverflow(Int64(duration.microseconds))
        return overflow ? .min : time
    }
}
