import BrasaDocuments
import Synchronization

/// What goes of the past: versions and changes that are older than the window; and when all databases together keep more
/// than `historyBytesMax`, the oldest versions of the one that keeps most. One that keeps no more than an equal share of that
/// gives nothing, so that each has its share whatever the others do, and what nobody claims goes to those who need it.
extension VersionedDocuments {
    /// Bounds one turn of pruning.
    private static let pruneItemsMax = 512
    /// Under pressure what is freed is looked at so often, since nobody knows before what goes of indexes.
    private static let reliefItemsMax = 32

    /// Forgets a bounded number of versions that are out of the window, or too much. `now` is at most the watermark.
    /// Returns whether there is more to do.
    ///
    /// - Parameter bytesMax: what is more than this goes before its time; nil: as configured.
    func prune(now: Int64, historyBytesMax bytesMax: Int? = nil) -> Bool {
        let bytesMax = bytesMax ?? self.configuration.historyBytesMax
        let wanted = now.before(self.configuration.history)
        let databases = self.registry.all(oldestReadTime: wanted)
        var left = Self.pruneItemsMax
        for database in databases {
            let horizon = database.history.raise(to: wanted, underPressure: false)
            left -= Self.forget(database, through: horizon, limit: left)
        }
        return left == 0 || self.relieve(databases, now: now, bytesMax: bytesMax)
    }

    /// Forgets a bounded number of changes that are out of the window: who stands before them has lost the versions, too. A
    /// want of room for versions is none for changes. Returns whether there is more to do.
    func forgetChanges(now: Int64) -> Bool {
        let wanted = now.before(self.configuration.history)
        var left = Self.pruneItemsMax
        for database in self.registry.all(oldestReadTime: .min) where left > 0 {
            left -= self.changes.forget(through: min(database.history.oldest, wanted), in: database, limit: left)
        }
        return left == 0
    }

    /// Whether `prune` would find something to do, unless a pin keeps it.
    func isPruningDue(now: Int64) -> Bool {
        let databases = self.registry.all(oldestReadTime: .min)
        let wanted = now.before(self.configuration.history)
        return databases.contains { $0.history.garbage.first.map { $0 <= wanted } ?? false }
            || self.giver(among: databases, now: now, bytesMax: self.configuration.historyBytesMax) != nil
    }

    /// The database that has to give, and down to how many bytes.
    private func giver(
        among databases: [DatabaseHandle],
        now: Int64,
        bytesMax: Int
    ) -> (database: DatabaseHandle, bytes: Int)? {
        guard self.historyBytes > bytesMax else { return nil }
        // Looked at once, since they change meanwhile.
        let keepers = databases.map { (database: $0, bytes: $0.history.bytes) }.filter { $0.bytes > 0 }
        let excess = keepers.reduce(0) { $0 + $1.bytes } - bytesMax
        guard excess > 0 else { return nil }
        let share = bytesMax / keepers.count
        let newestStart = now.before(self.configuration.historyMin)
        let able = keepers.filter { keeper in
            keeper.bytes > share && keeper.database.history.garbage.first.map { $0 <= newestStart } ?? false
        }
        return able.max { $0.bytes < $1.bytes }.map { ($0.database, max($0.bytes - excess, share)) }
    }

    /// Whether there is more to do.
    private func relieve(_ databases: [DatabaseHandle], now: Int64, bytesMax: Int) -> Bool {
        guard let (database, bytes) = self.giver(among: databases, now: now, bytesMax: bytesMax) else { return false }
        let history = database.history
        var left = Self.pruneItemsMax
        while left > 0, history.bytes > bytes {
            let count = min(left, Self.reliefItemsMax)
            guard let needed = history.garbage.horizon(freeing: history.bytes - bytes, count: count) else { break }
            let wanted = min(needed, now.before(self.configuration.historyMin))
            let horizon = history.raise(to: wanted, underPressure: true)
            let taken = Self.forget(database, through: horizon, limit: count)
            // What is left is too young, or firmly pinned.
            if taken == 0 { break }
            left -= taken
        }
        return left < Self.pruneItemsMax
    }

    /// Forgets up to `limit` items of garbage; returns how many.
    private static func forget(_ database: DatabaseHandle, through horizon: Int64, limit: Int) -> Int {
        guard limit > 0 else { return 0 }
        let items = database.history.garbage.take(through: horizon, limit: limit)
        var bytes = -items.count * GarbageQueue.Item.ownBytes
        var rest = items[...]
        while !rest.isEmpty {
            // Up to each item's own time: a document that changed often is trimmed a version at a time, and the lock is
            // never held for all of them.
            let run = rest.orderRun
            rest = rest.dropFirst(run.count)
            bytes += database.trim(run)
        }
        if bytes != 0 { database.history.add(bytes: bytes) }
        return items.count
    }
}

extension ArraySlice<GarbageQueue.Item> {
    /// What a run takes of large versions: as much as a visit of an index's build (`IndexBuild`).
    static var orderRunBytesMax: Int { 64 << 10 }

    /// The first ones, that share a visit to their database's order: so many, or of so many bytes, which stand for keys that
    /// have to be looked for; one at least.
    var orderRun: ArraySlice {
        var (end, bytes) = (self.startIndex, 0)
        while end < self.endIndex, end - self.startIndex < VersionedDocuments.orderRunMax {
            // What is not deleted any more takes less than before.
            bytes += Swift.max(self[end].bytes, 0)
            if bytes > Self.orderRunBytesMax, end > self.startIndex { break }
            end += 1
        }
        return self[..<end]
    }
}
