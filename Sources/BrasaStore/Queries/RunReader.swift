import BrasaDocuments
import BrasaQueries

/// An index run, in order. With several indexes it gives out the documents that are in all of them:
/// each in turn leaps to where the others are.
struct RunReader: Sendable {
    private var cursors: [IndexCursor]
    /// Those that are left, the next one last.
    private var intervals: [KeyInterval]
    private let isReversed: Bool
    /// Where the suffix begins in the keys of the entries.
    let suffixStart: Int

    /// `needsKeys`: the run is merged with others by the keys of its entries.
    init(_ run: QueryPlan.IndexRun, pace: FetchPace, needsKeys: Bool) {
        self.isReversed = run.isReversed
        self.intervals = run.isReversed ? run.intervals : run.intervals.reversed()
        self.cursors = run.accesses.map { access in
            IndexCursor(
                access,
                isReversed: run.isReversed,
                pace: pace,
                needsKeys: needsKeys || run.accesses.count > 1
            )
        }
        self.suffixStart = run.accesses.first?.prefix.count ?? 0
    }

    /// Whether one of the cursors has nothing left in the interval, so that no document can be in all of them.
    private var isIntervalAtEnd: Bool {
        for index in self.cursors.indices where self.cursors[index].isAtEnd { return true }
        return false
    }

    /// Whether nothing is left.
    var isAtEnd: Bool { self.intervals.isEmpty && self.isIntervalAtEnd }

    /// Nil at the end, and when the work has to stop.
    mutating func next(_ work: inout ScanWork) throws(StoreError) -> IndexEntry? {
        while true {
            if let entry = try self.nextInInterval(&work) { return entry }
            guard self.isIntervalAtEnd, let interval = self.intervals.popLast() else { return nil }
            for index in self.cursors.indices { self.cursors[index].begin(interval) }
        }
    }

    private mutating func nextInInterval(_ work: inout ScanWork) throws(StoreError) -> IndexEntry? {
        try self.cursors[0].fetch(&work)
        guard self.cursors.count > 1 else { return self.cursors[0].popHead() }
        guard var suffix = self.cursors[0].headSuffix else { return nil }
        var (index, agreeing) = (0, 1)
        while agreeing < self.cursors.count {
            index = (index + 1) % self.cursors.count
            self.cursors[index].seek(suffix)
            try self.cursors[index].fetch(&work)
            guard let own = self.cursors[index].headSuffix else { return nil }
            agreeing = IndexCursor.compare(own, suffix) == .same ? agreeing + 1 : 1
            suffix = own
        }
        for index in self.cursors.indices.dropFirst() { _ = self.cursors[index].popHead() }
        return self.cursors[0].popHead()
    }

    /// Adds the next entries to the results, up to `limit` of these, as far as the work's budget goes. For runs of one index.
    mutating func take(
        _ limit: Int,
        _ work: inout ScanWork,
        into entries: inout [QueryScan.Entry]
    ) throws(StoreError) {
        while true {
            try self.cursors[0].take(limit, &work, into: &entries)
            guard entries.count < limit, self.cursors[0].isAtEnd, let interval = self.intervals.popLast() else {
                return
            }
            self.cursors[0].begin(interval)
        }
    }

    /// How many entries follow, up to `limit`, as far as the work's budget goes; they are passed over. With the last of
    /// them when it is wanted. For runs of one index.
    mutating func count(
        _ limit: Int,
        needsLast: Bool,
        _ work: inout ScanWork
    ) throws(StoreError) -> (count: Int, last: FoundDocument?) {
        var (count, last) = try self.cursors[0].count(limit, needsLast: needsLast, &work)
        while count < limit, self.cursors[0].isAtEnd, work.canGoOn, let interval = self.intervals.popLast() {
            self.cursors[0].begin(interval)
            let more = try self.cursors[0].count(limit - count, needsLast: needsLast, &work)
            count += more.count
            last = more.last ?? last
        }
        return (count, last)
    }
}
