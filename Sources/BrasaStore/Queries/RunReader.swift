import BrasaDocuments

/// One shard's part of an index run, in order. With several indexes it gives out the documents that are in all of them:
/// each in turn leaps to where the others are.
struct RunReader: Sendable {
    private var cursors: [IndexCursor]
    /// Those that are left, the next one last.
    private var intervals: [KeyInterval]
    private let isReversed: Bool

    init(_ run: QueryPlan.IndexRun, in shard: Shard, fetchCount: Int) {
        self.isReversed = run.isReversed
        self.intervals = run.isReversed ? run.intervals : run.intervals.reversed()
        self.cursors = run.accesses.map { access in
            IndexCursor(access, in: shard, isReversed: run.isReversed, fetchCount: fetchCount)
        }
    }

    /// Where the suffix begins in the keys of the entries.
    var suffixStart: Int { self.cursors[0].prefixCount }

    /// Whether the intervals are all read. What `next` gave out last aside, nothing comes any more.
    var isAtEnd: Bool { self.intervals.isEmpty && self.cursors.contains { $0.isAtEnd } }

    /// Nil at the end, and when the work has to stop.
    mutating func next(_ work: inout ScanWork) throws(StoreError) -> IndexEntry? {
        while true {
            if self.cursors.contains(where: { $0.isAtEnd }) {
                guard let interval = self.intervals.popLast() else { return nil }
                for index in self.cursors.indices { self.cursors[index].begin(interval) }
            }
            if let entry = try self.nextInInterval(&work) { return entry }
            guard self.cursors.contains(where: { $0.isAtEnd }) else { return nil }
        }
    }

    private mutating func nextInInterval(_ work: inout ScanWork) throws(StoreError) -> IndexEntry? {
        try self.cursors[0].fetch(&work)
        guard let entry = self.cursors[0].head else { return nil }
        guard self.cursors.count > 1 else {
            self.cursors[0].removeHead()
            return entry
        }
        var suffix = entry.key[self.cursors[0].prefixCount...]
        var (index, agreeing) = (0, 1)
        while agreeing < self.cursors.count {
            index = (index + 1) % self.cursors.count
            self.cursors[index].seek(suffix)
            try self.cursors[index].fetch(&work)
            guard let head = self.cursors[index].head else { return nil }
            let own = head.key[self.cursors[index].prefixCount...]
            agreeing = IndexCursor.compare(own, suffix) == .same ? agreeing + 1 : 1
            suffix = own
        }
        let common = self.cursors[0].head
        for index in self.cursors.indices { self.cursors[index].removeHead() }
        return common
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
