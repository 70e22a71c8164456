import BrasaDocuments
import BrasaQueries

/// The results of several sorted sources, one for each shard's part of each index run, as one sorted sequence without
/// duplicates.
struct MergedRuns: Sendable {
    private var sources: [RunSource]
    /// A heap of the sources that have a candidate, the first one first.
    private var heap: [Int] = []
    /// Sources whose next candidate must be known before any other is given out.
    private var unfetched: [Int]
    private let query: Query
    /// Results up to this key of the query's order are not wanted.
    private let resume: OrderPreservingKey?
    private let isByOrderKey: Bool
    private let isReversed: Bool
    /// One source's last document may be another's next.
    private let hasDuplicates: Bool
    private var lastPath: ResourcePath?
    /// Whether entries can be counted without a look at documents or at other sources.
    let isCountable: Bool

    /// Entries read ahead from all sources together.
    private static let fetchMax = 2048

    init(
        _ runs: [QueryPlan.Run],
        isByOrderKey: Bool,
        of query: Query,
        in database: DatabaseHandle,
        resume: OrderPreservingKey?
    ) {
        self.query = query
        self.resume = resume
        self.isByOrderKey = isByOrderKey
        self.isReversed = query.order.clauses.last?.isDescending ?? false
        self.hasDuplicates = runs.count > 1
        let share = Self.share(of: query, sourceCount: runs.count * database.shards.count)
        self.sources = runs.flatMap { run -> [RunSource] in
            switch run {
            case .document(let path): return [RunSource(path, in: database)]
            case .indexes(let run): return database.shards.map { RunSource(run, in: $0, fetchCount: share) }
            }
        }
        self.unfetched = Array(self.sources.indices.reversed())
        if runs.count == 1, case .indexes(let run)? = runs.first {
            self.isCountable = run.isExact && run.accesses.count == 1
        } else {
            self.isCountable = false
        }
    }

    /// How many entries each source probably gives.
    private static func share(of query: Query, sourceCount: Int) -> Int {
        guard let limit = query.limit else { return max(Self.fetchMax / sourceCount / 16, 4) }
        return min(limit &+ query.offset, Self.fetchMax) / sourceCount + 3
    }

    var isAtEnd: Bool {
        self.heap.isEmpty && self.unfetched.allSatisfy { self.sources[$0].isAtEnd && self.sources[$0].head == nil }
    }

    /// Nil at the end, and when the work has to stop.
    mutating func next(_ work: inout ScanWork) throws(StoreError) -> QueryScan.Entry? {
        while true {
            while let source = self.unfetched.last {
                try self.sources[source].fetch(&work, by: self.isByOrderKey ? self.query.order : nil)
                if self.sources[source].head != nil {
                    self.push(source)
                } else if !self.sources[source].isAtEnd {
                    return nil
                }
                self.unfetched.removeLast()
            }
            guard let (candidate, isExact) = self.popCandidate() else { return nil }
            if let entry = self.result(candidate, isExact: isExact, &work) { return entry }
        }
    }

    /// How many results are left, as far as the work's budget goes. They are passed over in any order.
    mutating func countRest(_ work: inout ScanWork) throws(StoreError) -> Int {
        var count = 0
        for source in self.sources.indices where work.canGoOn { count += try self.sources[source].countRest(&work) }
        self.heap = []
        self.unfetched = self.sources.indices.filter { !self.sources[$0].isAtEnd }
        return count
    }

    private mutating func result(
        _ candidate: RunSource.Candidate,
        isExact: Bool,
        _ work: inout ScanWork
    ) -> QueryScan.Entry? {
        if self.hasDuplicates {
            if candidate.path == self.lastPath { return nil }
            self.lastPath = candidate.path
        }
        work.statistics.documentsScanned += 1
        var key = candidate.orderKey
        if !isExact {
            let fields = candidate.document.fields
            guard self.query.matches(path: candidate.path, fields: fields) else { return nil }
            if let resume = self.resume {
                key = key ?? self.query.order.key(path: candidate.path, fields: fields)
                guard let key, resume < key else { return nil }
            }
        }
        return QueryScan.Entry(path: candidate.path, document: candidate.document, orderKey: key)
    }

    // MARK: The heap

    private func comesBefore(_ left: Int, _ right: Int) -> Bool {
        guard let left = self.sources[left].head, let right = self.sources[right].head else { return false }
        let order = IndexCursor.compare(left.key[left.keyStart...], right.key[right.keyStart...])
        return order == (self.isReversed && !self.isByOrderKey ? .descending : .ascending)
    }

    private mutating func push(_ source: Int) {
        var index = self.heap.count
        self.heap.append(source)
        while index > 0 {
            let parent = (index - 1) / 2
            guard self.comesBefore(self.heap[index], self.heap[parent]) else { return }
            self.heap.swapAt(index, parent)
            index = parent
        }
    }

    /// The first of all candidates; its source is to fetch another.
    private mutating func popCandidate() -> (RunSource.Candidate, isExact: Bool)? {
        guard let source = self.heap.first, let candidate = self.sources[source].head else { return nil }
        self.sources[source].removeHead()
        let last = self.heap.removeLast()
        if !self.heap.isEmpty {
            self.heap[0] = last
            self.sinkFirst()
        }
        if !self.sources[source].isAtEnd { self.unfetched.append(source) }
        return (candidate, self.sources[source].isExact)
    }

    private mutating func sinkFirst() {
        var index = 0
        while true {
            var first = index
            for child in [2 * index + 1, 2 * index + 2] where child < self.heap.count {
                if self.comesBefore(self.heap[child], self.heap[first]) { first = child }
            }
            if first == index { return }
            self.heap.swapAt(index, first)
            index = first
        }
    }
}
