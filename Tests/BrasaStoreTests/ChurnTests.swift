import BrasaDocuments
import BrasaQueries
import BrasaSimulation
import Synchronization
import Testing

@testable import BrasaStore

/// What reads cost when documents come and go within the history: in entries looked at, fresh and after the churn.
@Suite struct ChurnTests {
    private let jobs = 10_000
    private let waiting = 50

    @Test func aQueueThatHandledManyJobsIsReadAsAFreshOne() throws {
        let queue = try Queue(waiting: self.waiting)
        let fresh = try queue.next()
        #expect(fresh.name == "j0" && fresh.examined <= 16)
        let start = queue.bench.store.strongReadTime()
        try queue.handle(self.jobs)
        let churned = try queue.next()
        #expect(churned.name == "j\(self.jobs)")
        #expect(churned.examined * 2 <= fresh.examined * 3)
        // The past is still there, and costs more.
        #expect(try queue.next(at: start).name == "j0")
    }

    @Test func aCountOfWhatWaitsLooksAtWhatWaits() throws {
        let queue = try Queue(waiting: self.waiting)
        try queue.handle(2_000)
        var scan = try queue.bench.scan(
            queue.bench.query([filter("status", .equal, .string("pending"))], collection: "jobs")
        )
        var count = 0
        while !scan.isAtEnd { count += try scan.skip(.max) }
        #expect(count == self.waiting)
        #expect(scan.statistics.indexEntriesScanned == self.waiting)
    }

    @Test func aJobThatIsPutBackAndTakenManyTimesIsOneEntryToThePast() throws {
        let queue = try Queue(waiting: self.waiting)
        let start = queue.bench.store.strongReadTime()
        try queue.toggle(2_000)
        let past = try queue.next(at: start)
        #expect(past.name == "j0" && past.examined <= 2 * self.waiting)
        #expect(try queue.next().name == "j0")
    }

    @Test(arguments: [false, true])
    func documentsThatWereDeletedInAnyOrderAreThereInThePast(descending: Bool) throws {
        let bench = try QueryBench(count: 0) { $0.shards = 1 }
        var random = SeededRandom(seed: 7)
        let names = (0..<20_000).map { "a/\($0)" }.shuffled(using: &random)
        try bench.fixture.commit(bench.database, names.map { ($0, "x") })
        let before = bench.store.strongReadTime()
        for name in names.shuffled(using: &random) { try bench.fixture.commit(bench.database, [(name, nil)]) }
        var scan = try bench.store.scan(range("", "a"), in: bench.database, at: before, descending: descending)
        var (found, steps) = (0, Int.max)
        while !scan.isAtEnd { found += try scan.next(100, steps: &steps).count }
        #expect(found == names.count)
    }

    @Test(arguments: [false, true])
    func namesOfDeletedDocumentsAreNotWalked(descending: Bool) throws {
        let bench = try QueryBench(count: 0)
        for number in 0..<4_000 {
            try bench.fixture.commit(bench.database, [("a/\(number)", "x"), ("a/1/b/\(number)", "x")])
        }
        let before = bench.store.strongReadTime()
        for number in 10..<4_000 {
            try bench.fixture.commit(bench.database, [("a/\(number)", nil), ("a/1/b/\(number)", nil)])
        }
        func steps(_ range: NameRange, at time: Timestamp) throws -> (found: Int, steps: Int) {
            var scan = try bench.store.scan(range, in: bench.database, at: time, descending: descending)
            var (found, steps) = (0, Int.max)
            while !scan.isAtEnd { found += try scan.next(100, steps: &steps).count }
            return (found, .max - steps)
        }
        for range in try [range("", "a"), range("a/1", "b"), range("", "b", all: true)] {
            let now = try steps(range, at: bench.store.strongReadTime())
            #expect(now.found == 10 && now.steps < 60)
            #expect(try steps(range, at: before).found == 4_000)
        }
    }

    @Test func collectionsWithoutDocumentsAreNotWalked() throws {
        let bench = try QueryBench(count: 0)
        for number in 0..<4_000 { try bench.fixture.commit(bench.database, [("c\(number)/1", "x")]) }
        let before = bench.store.strongReadTime()
        for number in 0..<3_990 { try bench.fixture.commit(bench.database, [("c\(number)/1", nil)]) }
        func steps(at time: Timestamp) throws -> (found: Int, steps: Int) {
            var scan = try bench.store.collectionIDs(under: .root, in: bench.database, at: time, limit: .max)
            var steps = 1
            while true {
                if let ids = try scan.step() { return (ids.count, steps) }
                steps += 1
            }
        }
        let now = try steps(at: bench.store.strongReadTime())
        #expect(now.found == 10 && now.steps < 12)
        #expect(try steps(at: before).found == 4_000)
    }

    @Test func whatIsOutOfHistoryLeavesNothingBehind() throws {
        func sizes(handling count: Int) throws -> Sizes {
            let queue = try Queue(waiting: 10)
            try queue.handle(count, deleting: true)
            queue.bench.fixture.clock.advance(microseconds: 2 * 3600 * 1_000_000)
            while queue.bench.store.maintain() {}
            #expect(queue.bench.store.statistics.historyBytes == 0)
            #expect(try queue.next().name == "j\(count)")
            return Sizes(of: queue.bench.database)
        }
        let (few, many) = (try sizes(handling: 10), try sizes(handling: 4_000))
        #expect(few.documents == 10 && many.documents == 10)
        #expect(many.keys == few.keys && many.supersededKeys == 0 && many.deletedNames == 0)
        // Two small leaves beside each other may stay so until one of them loses another entry.
        #expect(many.nodes <= few.nodes + 8)
    }
}

/// What a database has in its trees.
private struct Sizes {
    var documents = 0
    var deletedNames = 0
    var keys = 0
    var supersededKeys = 0
    var nodes = 0

    init(of database: DatabaseHandle) {
        self.documents = database.counts.documents
        let (nodes, deleted, keys, superseded) = database.order.withLock { order in
            var nodes = order.names.current.root.nodeCount
            for index in order.indexes {
                nodes += index.current.root.nodeCount + index.superseded.tree.root.nodeCount
            }
            let keys = order.indexes.reduce(0) { $0 + $1.current.count }
            let superseded = order.indexes.reduce(0) { $0 + $1.superseded.tree.count }
            return (nodes, order.names.deleted?.tree.count ?? 0, keys, superseded)
        }
        (self.nodes, self.deletedNames, self.keys, self.supersededKeys) = (nodes, deleted, keys, superseded)
    }
}

extension OrderedMapNode {
    fileprivate var nodeCount: Int { self.children.reduce(1) { $0 + $1.nodeCount } }
}

extension IndexNode {
    fileprivate var nodeCount: Int { self.children.reduce(1) { $0 + $1.nodeCount } }
}

/// Jobs that wait in the order in which they came; one comes for each that is done.
private struct Queue {
    let bench: QueryBench
    private let query: Query
    private let waiting: Int

    init(waiting: Int) throws {
        self.bench = try QueryBench(count: 0) { $0.history = .seconds(3600) }
        self.query = try self.bench.query(
            [filter("status", .equal, .string("pending"))],
            order: [("created", .ascending)],
            collection: "jobs",
            limit: 1
        )
        self.waiting = waiting
        for shape in Planner(self.query, in: self.bench.database, of: self.bench.store, isAnyOrder: false).shapes {
            if let definition = shape.idealDefinition {
                self.bench.store.requestIndex(definition, in: self.bench.database)
            }
        }
        self.bench.store.requestIndex(
            IndexDefinition(collectionID: "jobs", scope: .collection, parts: [.init(try field("status"), .ascending)]),
            in: self.bench.database
        )
        self.bench.buildIndexes()
        for number in 0..<waiting { try self.write(number, "pending") }
    }

    private func write(_ number: Int, _ status: String) throws {
        let fields = EncodedFields(encoding: [
            Value.MapEntry(key: "created", value: .integer(Int64(number))),
            Value.MapEntry(key: "status", value: .string(UTF8Text(status))),
        ])
        try self.bench.fixture.commit([
            DocumentChange(
                database: self.bench.database,
                path: try path("jobs/j\(number)"),
                outcome: .set(fields, createTime: nil)
            )
        ])
    }

    func handle(_ count: Int, deleting: Bool = false) throws {
        for number in 0..<count {
            if deleting {
                try self.bench.fixture.commit(self.bench.database, [("jobs/j\(number)", nil)])
            } else {
                try self.write(number, "done")
            }
            try self.write(number + self.waiting, "pending")
        }
    }

    /// The first job is done, and then not.
    func toggle(_ count: Int) throws {
        for _ in 0..<count {
            try self.write(0, "done")
            try self.write(0, "pending")
        }
    }

    func next(at time: Timestamp? = nil) throws -> (name: String?, examined: Int) {
        let time = time ?? self.bench.store.strongReadTime()
        var scan = try self.bench.store.query(self.query, in: self.bench.database, at: time)
        while true {
            let entries = try scan.next(1)
            guard !entries.isEmpty || scan.isAtEnd else { continue }
            let name = entries.first.map { String(decoding: $0.path.lastSegment, as: UTF8.self) }
            return (name, scan.statistics.indexEntriesScanned)
        }
    }
}
