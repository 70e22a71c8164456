package import BrasaDocuments
import Synchronization

/// Documents of a range in name order as they were at one time, a chunk at a time: no lock is held between calls, nor for
/// long within one, whatever was written or read in between. Keeps the time's versions from being pruned.
package struct NameScan: Sendable {
    package struct Entry: Sendable {
        package let path: ResourcePath
        /// Nil: a missing document with documents below it, which a scan with `showMissing` finds.
        package let document: Document?
    }

    /// One shard's part of the range, with what was fetched of it and not handed out yet.
    private struct Source {
        let shard: Shard
        let scope: ScanScope
        /// Nil: all was fetched.
        var resume: PathPosition?
        var fetched: [ScanEntry] = []
        var index = 0

        var isDrained: Bool { self.index == self.fetched.count }
    }

    package let time: Timestamp
    private var sources: [Source]
    private let isDescending: Bool
    private let showMissing: Bool
    private let pin: SnapshotPin
    private let history: ReadHistory
    private var lastPath: ResourcePath?

    /// Most that is fetched from a shard in one visit.
    private static let fetchMax = 256

    init(
        _ database: DatabaseHandle,
        scopes: [ScanScope],
        pin: SnapshotPin,
        history: ReadHistory,
        isDescending: Bool,
        showMissing: Bool
    ) {
        self.time = pin.time
        self.sources = scopes.flatMap { scope in
            database.shards.map {
                Source(shard: $0, scope: scope, resume: isDescending ? scope.end : scope.start)
            }
        }
        self.isDescending = isDescending
        self.showMissing = showMissing
        self.pin = pin
        self.history = history
    }

    /// The next entries, fewer than `limit` only at the end. Throws `readTimeTooOld` when history's bound on bytes made
    /// the versions go.
    package mutating func next(_ limit: Int) throws(StoreError) -> [Entry] {
        var entries: [Entry] = []
        while entries.count < limit, let entry = try self.next(expecting: limit - entries.count) {
            entries.append(entry)
        }
        return entries
    }

    /// Passes over up to `count` entries; returns over how many, fewer only at the end.
    package mutating func skip(_ count: Int) throws(StoreError) -> Int {
        for skipped in 0..<max(count, 0) where try self.next(expecting: count - skipped) == nil { return skipped }
        return max(count, 0)
    }

    private mutating func next(expecting count: Int) throws(StoreError) -> Entry? {
        while true {
            guard let index = try self.firstSource(expecting: count) else { return nil }
            let entry = self.sources[index].fetched[self.sources[index].index]
            self.sources[index].index += 1
            if self.showMissing {
                // One shard has the document, others what is below it; the document, if any, decides.
                let document = entry.document ?? self.document(at: entry.path, besides: index)
                guard entry.path != self.lastPath else { continue }
                self.lastPath = entry.path
                return Entry(path: entry.path, document: document)
            }
            return Entry(path: entry.path, document: entry.document)
        }
    }

    private func document(at path: ResourcePath, besides index: Int) -> Document? {
        for (other, source) in self.sources.enumerated() where other != index && !source.isDrained {
            let entry = source.fetched[source.index]
            if entry.path == path, let document = entry.document { return document }
        }
        return nil
    }

    /// The source whose entry comes first, after refilling the ones that need it.
    private mutating func firstSource(expecting count: Int) throws(StoreError) -> Int? {
        var first: Int?
        for index in self.sources.indices {
            if self.sources[index].isDrained { try self.refill(index, expecting: count) }
            guard !self.sources[index].isDrained else { continue }
            guard let best = first else {
                first = index
                continue
            }
            let (path, bestPath) = (self.head(index), self.head(best))
            if self.isDescending ? bestPath < path : path < bestPath { first = index }
        }
        return first
    }

    private func head(_ index: Int) -> ResourcePath { self.sources[index].fetched[self.sources[index].index].path }

    private mutating func refill(_ index: Int, expecting count: Int) throws(StoreError) {
        let share = min(count, Self.fetchMax * self.sources.count) * 3 / 2 / self.sources.count + 4
        let budget = ScanBudget(entries: min(share, Self.fetchMax))
        while let position = self.sources[index].resume, self.sources[index].isDrained {
            let (scope, time) = (self.sources[index].scope, self.time.microseconds)
            let (isDescending, showMissing) = (self.isDescending, self.showMissing)
            let part = self.sources[index].shard.state.withLock { state in
                isDescending
                    ? state.descending(scope, from: position, at: time, budget: budget)
                    : state.ascending(scope, from: position, at: time, showMissing: showMissing, budget: budget)
            }
            try self.history.check(time)
            self.sources[index].fetched = part.found
            self.sources[index].index = 0
            self.sources[index].resume = part.resume
        }
    }
}
