import BrasaDocuments
import BrasaQueries

/// The results of sorted sources, one for each part of a disjunction, as one sorted sequence without duplicates. A
/// conjunction has one source, which is not merged with anything.
struct MergedRuns: Sendable {
    private var sources: [RunSource]
    /// What comes next from the sources, those in `unfetched` aside.
    private var heap: CandidateHeap
    /// Sources whose next candidate must be known before any other is given out.
    private var unfetched: [Int]
    private let query: Query
    /// Results up to this key of the query's order are not wanted.
    private let resume: OrderPreservingKey?
    /// Given when the sources' own keys cannot be compared with each other.
    private let order: ResultOrder?
    /// One source's last document may be another's next.
    private let hasDuplicates: Bool
    private var lastPath: ResourcePath?
    /// Whether entries can be counted without a look at documents or at other sources.
    let isCountable: Bool
    /// How many runs a better index may come for.
    let improvableCount: Int

    init(
        _ runs: [QueryPlan.Run],
        isByOrderKey: Bool,
        of query: Query,
        in database: DatabaseHandle,
        resume: OrderPreservingKey?
    ) {
        self.query = query
        self.resume = resume
        self.order = isByOrderKey ? query.order : nil
        self.hasDuplicates = runs.count > 1
        self.improvableCount = runs.improvableCount
        let pace = FetchPace(limit: query.limit.map { $0 + query.offset }, sourceCount: runs.count)
        self.sources = runs.map { run in
            switch run {
            case .document(let path): RunSource(path, in: database)
            case .indexes(let run): RunSource(run, pace: pace)
            }
        }
        // Keys of indexes run the other way when the query reads them backwards.
        let isDescending = !isByOrderKey && query.order.clauses.last?.isDescending ?? false
        self.heap = CandidateHeap(sourceCount: self.sources.count, isDescending: isDescending)
        self.unfetched = Array(self.sources.indices.reversed())
        if runs.count == 1, case .indexes(let run)? = runs.first {
            self.isCountable = run.isExact && run.accesses.count == 1
        } else {
            self.isCountable = false
        }
    }

    var isAtEnd: Bool {
        self.sources.count == 1
            ? self.sources[0].isAtEnd : self.heap.isEmpty && self.unfetched.allSatisfy { self.sources[$0].isAtEnd }
    }

    /// Nil at the end, and when the work has to stop.
    mutating func next(_ work: inout ScanWork) throws(StoreError) -> QueryScan.Entry? {
        while self.sources.count == 1 {
            guard let candidate = try self.sources[0].next(&work, by: self.order) else { return nil }
            if let entry = self.result(candidate, isExact: self.sources[0].isExact, &work) { return entry }
        }
        while true {
            while let source = self.unfetched.last {
                if let candidate = try self.sources[source].next(&work, by: self.order) {
                    self.heap.push(candidate, from: source)
                } else if !self.sources[source].isAtEnd {
                    return nil
                }
                self.unfetched.removeLast()
            }
            guard let first = self.heap.pop() else { return nil }
            if !self.sources[first.source].isAtEnd { self.unfetched.append(first.source) }
            let isExact = self.sources[first.source].isExact
            if let entry = self.result(first.candidate, isExact: isExact, &work) { return entry }
        }
    }

    /// How many results are left, as far as the work's budget goes. They are passed over in any order.
    mutating func countRest(_ work: inout ScanWork) throws(StoreError) -> Int {
        var count = self.heap.count
        for source in self.sources.indices where work.canGoOn { count += try self.sources[source].countRest(&work) }
        self.heap.removeAll()
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
}
