import BrasaDocuments
import BrasaQueries
import Synchronization

/// One of the sorted sources of a merge: a shard's part of an index run, or a single document.
struct RunSource: Sendable {
    struct Candidate: Sendable {
        /// What the merge goes by, from `keyStart` on.
        let key: [UInt8]
        let keyStart: Int
        let path: ResourcePath
        let document: Document
        /// The place in the query's order, when the merge goes by it.
        var orderKey: OrderPreservingKey?
    }

    private enum Reader: Sendable {
        case run(RunReader)
        case document(ResourcePath, DatabaseHandle)
        case nothing
    }

    private var reader: Reader
    /// Whether all that comes from here is a result.
    let isExact: Bool
    private(set) var head: Candidate?

    init(_ run: QueryPlan.IndexRun, in shard: Shard, fetchCount: Int) {
        self.reader = .run(RunReader(run, in: shard, fetchCount: fetchCount))
        self.isExact = run.isExact
    }

    init(_ path: ResourcePath, in database: DatabaseHandle) {
        self.reader = .document(path, database)
        self.isExact = false
    }

    /// Whether nothing follows the head.
    var isAtEnd: Bool {
        switch self.reader {
        case .run(let reader): reader.isAtEnd
        case .document: false
        case .nothing: true
        }
    }

    mutating func removeHead() {
        self.head = nil
    }

    /// Fetches the head when it is missing and there is one. `order` is given when the merge goes by the order's own keys.
    mutating func fetch(_ work: inout ScanWork, by order: ResultOrder?) throws(StoreError) {
        while self.head == nil, let (key, keyStart, path, document) = try self.next(&work) {
            guard let order else {
                self.head = Candidate(key: key, keyStart: keyStart, path: path, document: document)
                return
            }
            guard let key = order.key(path: path, fields: document.fields) else { continue }
            self.head = Candidate(key: key.bytes, keyStart: 0, path: path, document: document, orderKey: key)
        }
    }

    private mutating func next(
        _ work: inout ScanWork
    ) throws(StoreError) -> (key: [UInt8], keyStart: Int, path: ResourcePath, document: Document)? {
        switch self.reader {
        case .run(var reader):
            // Moved out and back, so that its arrays are not copied.
            self.reader = .nothing
            defer { self.reader = .run(reader) }
            guard let entry = try reader.next(&work) else { return nil }
            return (entry.key, reader.suffixStart, entry.path, entry.document)
        case .document(let path, let database):
            let (shard, hash) = database.place(path)
            let document = shard.state.withLock { $0.find(path, hash: hash)?.document(at: work.time) }
            try work.history.check(work.time)
            self.reader = .nothing
            work.budget -= 1
            guard let document else { return nil }
            return ([], 0, path, document)
        case .nothing: return nil
        }
    }

    /// How many entries are left, the head included, as far as the work's budget goes; they are passed over. For runs of
    /// one index.
    mutating func countRest(_ work: inout ScanWork) throws(StoreError) -> Int {
        var count = self.head == nil ? 0 : 1
        self.head = nil
        guard case .run(var reader) = self.reader else { return count }
        self.reader = .nothing
        defer { self.reader = .run(reader) }
        count += try reader.countRest(&work)
        return count
    }
}
