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

    /// One scope of the range, with what was fetched of it and not handed out yet.
    private struct Source {
        let scope: ScanScope
        /// Nil: all was fetched.
        var resume: PathPosition?
        var fetched: [Entry] = []
        var index = 0
        /// The path of the entry at `index`; nil when there is none.
        var head: ResourcePath?

        /// Goes on to the next entry. Returns false when it has to be fetched.
        mutating func advance() -> Bool {
            self.index += 1
            guard self.index < self.fetched.count else {
                self.head = nil
                return false
            }
            self.head = self.fetched[self.index].path
            return true
        }
    }

    package let time: Timestamp
    private let database: DatabaseHandle
    private var sources: [Source]
    /// Indices of the sources that have entries left, the one with the next entry first. Nil: nothing was fetched yet.
    private var order: [Int]?
    private let isDescending: Bool
    private let showMissing: Bool
    private let pin: SnapshotPin
    private let history: ReadHistory
    private var lastPath: ResourcePath?
    /// A missing document that may yet turn out to be there, in a scope that has to be looked at again.
    private var undecided: Entry?
    /// How many entries the call under way may still look at, about.
    private var steps = Int.max

    /// Most that is fetched in one visit.
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
        self.database = database
        self.sources = scopes.map { Source(scope: $0, resume: isDescending ? $0.end : $0.start) }
        self.isDescending = isDescending
        self.showMissing = showMissing
        self.pin = pin
        self.history = history
    }

    /// The next entries, fewer than `limit` only at the end. Throws `readTimeTooOld` when history's bound on bytes made
    /// the versions go.
    package mutating func next(_ limit: Int) throws(StoreError) -> [Entry] {
        var steps = Int.max
        return try self.next(limit, steps: &steps)
    }

    /// The same, perhaps with fewer entries when as many steps were taken as there may; taken ones are subtracted. A step is
    /// a look at one document, there or not at that time.
    package mutating func next(_ limit: Int, steps: inout Int) throws(StoreError) -> [Entry] {
        self.steps = steps
        defer { steps = self.steps }
        var entries: [Entry] = []
        while entries.count < limit, let entry = try self.next(expecting: limit - entries.count) {
            entries.append(entry)
        }
        return entries
    }

    /// Whether everything was given out.
    package var isAtEnd: Bool { self.undecided == nil && self.order?.isEmpty ?? false }

    /// Passes over up to `count` entries; returns over how many, fewer only at the end.
    package mutating func skip(_ count: Int) throws(StoreError) -> Int {
        self.steps = .max
        for skipped in 0..<max(count, 0) where try self.next(expecting: count - skipped) == nil { return skipped }
        return max(count, 0)
    }

    private mutating func next(expecting count: Int) throws(StoreError) -> Entry? {
        guard self.showMissing else { return try self.take(expecting: count) }
        // A document may follow itself as missing; the document, if any, decides. Equal paths come one after the other.
        while var entry = try self.takeUndecided(expecting: count) {
            if entry.path == self.lastPath { continue }
            while entry.document == nil {
                guard try self.hasOrder(expecting: count) || self.isAtEnd else {
                    self.undecided = entry
                    return nil
                }
                guard self.nextPath == entry.path, let other = try self.take(expecting: count) else { break }
                entry = other
            }
            self.lastPath = entry.path
            return entry
        }
        return nil
    }

    private mutating func takeUndecided(expecting count: Int) throws(StoreError) -> Entry? {
        if let entry = self.undecided.take() { return entry }
        return try self.take(expecting: count)
    }

    private var nextPath: ResourcePath? {
        self.order?.first.flatMap { self.sources[$0].head }
    }

    /// The entry that comes next; its source finds its new place among the others. Nil at the end, and when there are no
    /// steps left.
    private mutating func take(expecting count: Int) throws(StoreError) -> Entry? {
        guard try self.hasOrder(expecting: count), let first = self.order?.first else { return nil }
        let entry = self.sources[first].fetched[self.sources[first].index]
        if !self.sources[first].advance() { try self.refillFirst(expecting: count) } else { self.sinkFirst() }
        return entry
    }

    /// Whether all sources that are left have their next entry, as far as the steps go.
    private mutating func hasOrder(expecting count: Int) throws(StoreError) -> Bool {
        guard let order = self.order else { return try self.begin(expecting: count) }
        guard let first = order.first else { return false }
        // A call before this one could not fetch.
        if self.sources[first].head == nil { try self.refillFirst(expecting: count) }
        return self.order?.first.map { self.sources[$0].head != nil } ?? false
    }

    private mutating func begin(expecting count: Int) throws(StoreError) -> Bool {
        for index in self.sources.indices where self.sources[index].head == nil {
            try self.refill(index, expecting: count)
            if self.sources[index].head == nil, self.sources[index].resume != nil { return false }
        }
        self.order = []
        for index in self.sources.indices where self.sources[index].head != nil {
            self.order?.insert(index, at: 0)
            self.sinkFirst()
        }
        return true
    }

    /// The first source has nothing fetched. It stays the first while the steps do not suffice to fetch more.
    private mutating func refillFirst(expecting count: Int) throws(StoreError) {
        guard let first = self.order?.first else { return }
        try self.refill(first, expecting: count)
        if self.sources[first].head != nil {
            self.sinkFirst()
        } else if self.sources[first].resume == nil {
            self.order?.removeFirst()
        }
    }

    /// Moves the first source behind those whose entries come before its own; the others are in order.
    private mutating func sinkFirst() {
        guard let order = self.order, let first = order.first, let head = self.sources[first].head else { return }
        var index = 0
        while index + 1 < order.count, let next = self.sources[order[index + 1]].head,
            self.isDescending ? head < next : next < head
        {
            self.order?.swapAt(index, index + 1)
            index += 1
        }
    }

    private mutating func refill(_ index: Int, expecting count: Int) throws(StoreError) {
        let share = self.sources.count > 1 ? min(count, Self.fetchMax * 2) / self.sources.count + 3 : count
        while let position = self.sources[index].resume, self.sources[index].head == nil, self.steps > 0 {
            let budget = ScanBudget(entries: min(share, Self.fetchMax), steps: self.steps)
            let (scope, time) = (self.sources[index].scope, self.time.microseconds)
            let (isDescending, showMissing) = (self.isDescending, self.showMissing)
            let part = self.database.order.withLock { state in
                isDescending
                    ? state.descending(scope, from: position, at: time, budget: budget)
                    : state.ascending(scope, from: position, at: time, showMissing: showMissing, budget: budget)
            }
            try self.history.check(time)
            self.steps -= max(part.steps, 1)
            self.sources[index].fetched = part.found
            self.sources[index].index = -1
            self.sources[index].resume = part.resume
            _ = self.sources[index].advance()
        }
    }
}
