import BrasaDocuments
import BrasaQueries
import Synchronization

/// One of the sorted sources of a merge: an index run, or a single document.
struct RunSource: Sendable {
    /// A document that comes next from a source, and what the merge goes by: its key from `keyStart` on.
    struct Candidate: Sendable {
        let key: [UInt8]
        let keyStart: Int
        let path: ResourcePath
        let document: Document
        /// The place in the query's order, when the merge goes by it.
        var orderKey: OrderPreservingKey?
    }

    private var run: RunReader?
    /// The single document, until it was looked up.
    private var pinned: (path: ResourcePath, database: DatabaseHandle)?
    /// Whether all that comes from here is a result.
    let isExact: Bool

    init(_ run: QueryPlan.IndexRun, pace: FetchPace, needsKeys: Bool) {
        self.run = RunReader(run, pace: pace, needsKeys: needsKeys)
        self.isExact = run.isExact
    }

    init(_ path: ResourcePath, in database: DatabaseHandle) {
        self.pinned = (path, database)
        self.isExact = false
    }

    /// Whether nothing is left.
    var isAtEnd: Bool { self.pinned == nil && (self.run?.isAtEnd ?? true) }

    /// Nil at the end, and when the work has to stop. `order` is given when the merge goes by the order's own keys.
    mutating func next(_ work: inout ScanWork, by order: ResultOrder?) throws(StoreError) -> Candidate? {
        if let (path, database) = self.pinned { return try self.lookUp(path, in: database, &work, by: order) }
        let keyStart = self.run?.suffixStart ?? 0
        while let entry = try self.run?.next(&work) {
            guard let order else {
                return Candidate(key: entry.key, keyStart: keyStart, path: entry.path, document: entry.document)
            }
            if let found = Self.candidate(entry.path, entry.document, by: order) { return found }
        }
        return nil
    }

    private mutating func lookUp(
        _ path: ResourcePath,
        in database: DatabaseHandle,
        _ work: inout ScanWork,
        by order: ResultOrder?
    ) throws(StoreError) -> Candidate? {
        let (shard, hash) = database.place(path)
        let document = shard.state.withLock { $0.find(path, hash: hash)?.document(at: work.time) }
        try work.history.check(work.time)
        self.pinned = nil
        work.budget -= 1
        guard let document else { return nil }
        guard let order else { return Candidate(key: [], keyStart: 0, path: path, document: document) }
        return Self.candidate(path, document, by: order)
    }

    private static func candidate(
        _ path: ResourcePath,
        _ document: Document,
        by order: ResultOrder
    ) -> Candidate? {
        guard let key = order.key(path: path, fields: document.fields) else { return nil }
        return Candidate(key: key.bytes, keyStart: 0, path: path, document: document, orderKey: key)
    }

    /// As `RunReader.take`.
    mutating func take(
        _ limit: Int,
        _ work: inout ScanWork,
        into entries: inout [QueryScan.Entry]
    ) throws(StoreError) {
        try self.run?.take(limit, &work, into: &entries)
    }

    /// As `RunReader.count`.
    mutating func count(
        _ limit: Int,
        needsLast: Bool,
        _ work: inout ScanWork
    ) throws(StoreError) -> (count: Int, last: FoundDocument?) {
        try self.run?.count(limit, needsLast: needsLast, &work) ?? (0, nil)
    }
}
