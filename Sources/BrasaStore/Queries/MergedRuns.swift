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
    /// Whether what one index gives out are the results as they are.
    let isDirect: Bool
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
            case .indexes(let run): RunSource(run, pace: pace, needsKeys: runs.count > 1 && !isByOrderKey)
            }
        }
        // Keys of indexes run the other way when the query reads them backwards.
        let isDescending = !isByOrderKey && query.order.clauses.last?.isDescending ?? false
        let isMerging = runs.count > 1
        self.heap = CandidateHeap(sourceCount: isMerging ? runs.count : 0, isDescending: isDescending)
        self.unfetched = isMerging ? Array(runs.indices.reversed()) : []
        self.isDirect = runs.direct != nil
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

    /// Adds results up to `limit`, where they are direct.
    mutating func take(
        _ limit: Int,
        _ work: inout ScanWork,
        into entries: inout [QueryScan.Entry]
    ) throws(StoreError) {
        let before = entries.count
        try self.sources[0].take(limit, &work, into: &entries)
        work.statistics.documentsScanned += entries.count - before
    }

    /// How many results follow, up to `limit`, as far as the work's budget goes, where they are direct; they are passed
    /// over. With the last of them when it is wanted.
    mutating func count(
        _ limit: Int,
        needsLast: Bool,
        _ work: inout ScanWork
    ) throws(StoreError) -> (count: Int, last: FoundDocument?) {
        try self.sources[0].count(limit, needsLast: needsLast, &work)
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
