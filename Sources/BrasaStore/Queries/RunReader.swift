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

    init(_ run: QueryPlan.IndexRun, pace: FetchPace) {
        self.isReversed = run.isReversed
        self.intervals = run.isReversed ? run.intervals : run.intervals.reversed()
        self.cursors = run.accesses.map { access in
            IndexCursor(access, isReversed: run.isReversed, pace: pace)
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

    /// How many entries are left, as far as the work's budget goes; they are passed over. For runs of one index.
    mutating func countRest(_ work: inout ScanWork) throws(StoreError) -> Int {
        var count = try self.cursors[0].countRest(&work)
        while self.cursors[0].isAtEnd, work.canGoOn, let interval = self.intervals.popLast() {
            self.cursors[0].begin(interval)
            count += try self.cursors[0].countRest(&work)
        }
        return count
    }
}
