import BrasaDocuments
import BrasaQueries

/// Walks an index through an interval of suffixes, either way, reading a few entries ahead.
struct IndexCursor: Sendable {
    private let access: QueryPlan.IndexRun.Access
    private let isReversed: Bool
    /// What was read ahead, the next entry last.
    private var fetched: [IndexEntry] = []
    /// Where the next entries are read from. Nil: all were.
    private var position: IndexPosition?
    private var end = IndexPosition.end
    private var fetchCount: Int
    private let pace: FetchPace
    private let needsKeys: Bool

    init(_ access: QueryPlan.IndexRun.Access, isReversed: Bool, pace: FetchPace, needsKeys: Bool) {
        self.access = access
        self.isReversed = isReversed
        self.needsKeys = needsKeys
        self.fetchCount = pace.first
        self.pace = pace
    }

    var prefixCount: Int { self.access.prefix.count }
    var isAtEnd: Bool { self.fetched.isEmpty && self.position == nil }
    /// What the fetched entry's key has behind the prefix.
    var headSuffix: ArraySlice<UInt8>? { self.fetched.last.map { $0.key[self.prefixCount...] } }

    /// Goes to the start of an interval.
    mutating func begin(_ interval: KeyInterval) {
        let interval = interval.prefixed(by: self.access.prefix)
        self.position = self.isReversed ? interval.end : interval.start
        self.end = self.isReversed ? interval.start : interval.end
        self.fetched = []
    }

    /// The entry that comes next, when it has been fetched; goes behind it.
    mutating func popHead() -> IndexEntry? { self.fetched.popLast() }

    /// Goes to the first entry that does not come before this suffix. Never back: what was passed over is not looked at
    /// again, whether it was an entry or the keys of versions that the time of the scan does not see.
    mutating func seek(_ suffix: ArraySlice<UInt8>) {
        while let own = self.headSuffix {
            let order = IndexCursor.compare(own, suffix)
            if order == .same || order == (self.isReversed ? .ascending : .descending) { return }
            self.fetched.removeLast()
        }
        guard let position = self.position else { return }
        let place = self.access.prefix + suffix
        let wanted = self.isReversed ? IndexPosition.after(place) : .before(place)
        guard self.isReversed ? wanted < position : position < wanted else { return }
        self.position = (self.isReversed ? self.end < wanted : wanted < self.end) ? wanted : nil
        // Leaps leave what was read ahead unused.
        self.fetchCount = 2
    }

    /// Fetches the head when it is missing and there is one.
    mutating func fetch(_ work: inout ScanWork) throws(StoreError) {
        while self.fetched.isEmpty, self.position != nil, work.canGoOn {
            let budget = ScanBudget(entries: self.fetchCount, steps: work.budget)
            guard var part = try self.read(&work, isCounting: false, needsPlaces: self.needsKeys, budget) else {
                return
            }
            let bytes = part.keys.reduce(0) { $0 + $1.count }
            let affordable = max(self.pace.keyBytesMax / max(bytes / max(part.found.count, 1), 1), 1)
            self.fetchCount = min(self.fetchCount * 4, self.pace.most, affordable)
            self.fetched = part.takeReversed()
        }
    }

    /// Adds the next entries of the interval to the results, up to `limit` of these, as far as the work's budget goes. Not
    /// after `fetch`, which reads ahead of what is taken.
    mutating func take(
        _ limit: Int,
        _ work: inout ScanWork,
        into entries: inout [QueryScan.Entry]
    ) throws(StoreError) {
        while entries.count < limit, self.position != nil, work.canGoOn {
            let wanted = min(limit - entries.count, FetchPace.entriesMax)
            let budget = ScanBudget(entries: wanted, steps: work.budget)
            guard let part = try self.read(&work, isCounting: false, needsPlaces: false, budget) else { return }
            if entries.isEmpty { entries = part.found } else { entries += part.found }
        }
    }

    /// How many entries follow in the interval, up to `limit`, as far as the work's budget goes; they are passed over. With
    /// the last of them when it is wanted.
    mutating func count(
        _ limit: Int,
        needsLast: Bool,
        _ work: inout ScanWork
    ) throws(StoreError) -> (count: Int, last: FoundDocument?) {
        var count = 0
        var last: FoundDocument?
        while count < limit, self.position != nil, work.canGoOn {
            let budget = ScanBudget(entries: limit - count, steps: work.budget)
            guard let part = try self.read(&work, isCounting: true, needsPlaces: needsLast, budget) else { break }
            count += part.count
            last = part.last ?? last
        }
        return (count, last)
    }

    private mutating func read(
        _ work: inout ScanWork,
        isCounting: Bool,
        needsPlaces: Bool,
        _ budget: ScanBudget
    ) throws(StoreError) -> IndexPart? {
        guard let position = self.position else { return nil }
        let part = self.access.index.read(
            IndexReading(
                position: position,
                end: self.end,
                time: work.time,
                isDescending: self.isReversed,
                isCounting: isCounting,
                needsPlaces: needsPlaces,
                budget: budget
            )
        )
        try work.history.check(work.time)
        guard let part else {
            work.isIndexLost = true
            return nil
        }
        work.budget -= max(part.examined, 1)
        work.statistics.indexEntriesScanned += part.examined
        self.position = part.resume
        return part
    }

    static func compare(_ left: ArraySlice<UInt8>, _ right: ArraySlice<UInt8>) -> Ordering {
        left.withUnsafeBytes { left in right.withUnsafeBytes { right in ByteOrder.compare(left, right) } }
    }
}
