import BrasaDocuments
import BrasaLog
import BrasaPlatform
import BrasaQueries
import BrasaStore
import Synchronization

/// What real collections do all day, and what is asked of them meanwhile.
enum ChurnWork: String, CaseIterable {
    /// The next pending job is done, forgotten later, and another comes. Asked: the next one.
    case queue
    /// A player has another score. Asked: the best 20.
    case leaderboard
    /// A post comes, the oldest goes. Asked: the latest 20.
    case timeline
    /// A session lasts longer. Asked: the 20 that end next.
    case sessions

    var filter: (field: String, value: Value)? { self == .queue ? ("status", .string("pending")) : nil }
    var isDescending: Bool { self == .leaderboard || self == .timeline }
    var limit: Int32 { self == .queue ? 1 : 20 }
}

/// One of these works in a store of its own, whose clock can be set forward.
final class Churn {
    private let work: ChurnWork
    private let count: Int
    private let store: Store
    private let database: DatabaseHandle
    private let query: Query
    private let plans = PlanCache()
    private let ahead: Ahead
    /// Of the next document, or the next change.
    private var number = 0
    private var random: UInt64 = 1

    /// Seconds.
    private final class Ahead: Sendable {
        let seconds = Atomic<Int64>(0)
    }

    private static let jobsKept = 100
    private static let perCommit = 500

    init(_ work: ChurnWork, count: Int, historyBytesMax: Int, directory: String) throws {
        self.work = work
        self.count = count
        let ahead = Ahead()
        self.ahead = ahead
        let clock = Clock(
            wall: {
                let seconds = ahead.seconds.load(ordering: .relaxed)
                return WallTime(microseconds: Clock.system.wall().microseconds + seconds * 1_000_000)
            },
            monotonic: Clock.system.monotonic
        )
        self.store = try Store.opened(
            durability: .memory,
            directory: directory,
            historyBytesMax: historyBytesMax,
            clock: clock
        )
        let name = try DatabaseName(project: "load", database: "(default)")
        self.database = self.store.database(name)
        guard let parent = ParentName(database: name, path: .root) else { throw Rows.Failed.noParent }
        let filter = try work.filter.map { filter in
            StructuredQuery.Filter.field(try FieldPath(names: [UTF8Text(filter.field)]), .equal, filter.value)
        }
        let order = StructuredQuery.Order(
            field: try FieldPath(names: ["at"]),
            direction: work.isDescending ? .descending : .ascending
        )
        self.query = try Query(
            StructuredQuery(
                from: [.init(collectionID: UTF8Text(work.rawValue))],
                filter: filter,
                orderBy: [order],
                limit: work.limit
            ),
            parent: parent
        )
        try self.load(with: filter == nil ? ["at"] : ["status", "at"])
    }

    private func load(with parts: [UTF8Text]) throws {
        var changes: [DocumentChange] = []
        for _ in 0..<self.count {
            changes.append(try self.write(self.number, at: self.number))
            self.number += 1
            if changes.count == Self.perCommit || self.number == self.count {
                _ = try self.store.apply(changes: changes, waiter: nil)
                changes = []
            }
        }
        let definition = IndexDefinition(
            collectionID: UTF8Text(self.work.rawValue),
            scope: .collection,
            parts: try parts.map { IndexDefinition.Part(try FieldPath(names: [$0]), .ascending) }
        )
        self.store.requestIndex(definition, in: self.database)
        self.settle()
    }

    /// The background work that is due.
    func settle() {
        while self.store.step() {}
        while self.store.indexStep() {}
        while self.store.maintain() {}
    }

    /// All that happened is out of the history.
    func passWindow() {
        self.ahead.seconds.wrappingAdd(2 * 3_600, ordering: .relaxed)
        self.settle()
    }

    func change(_ times: Int) throws {
        for step in 0..<times {
            _ = try self.store.apply(changes: try self.nextChanges(), waiter: nil)
            if step % 1_000 == 0 { self.settle() }
        }
        self.settle()
    }

    /// Throws unless all that was superseded by so many changes can still be read: else what follows says nothing of them.
    func checkHistory(since start: Timestamp, changes: Int) throws {
        guard self.store.oldestReadTime(in: self.database) <= start,
            self.store.statistics.supersededVersions >= changes
        else { throw Failed.historyGone }
    }

    var now: Timestamp { self.store.watermark }
    var historyBytes: Int { self.store.memory.history }
    /// As the store counts it.
    var bytes: Int { self.store.memory.bytes }

    private func nextChanges() throws -> [DocumentChange] {
        let next = self.number
        self.number += 1
        let first = next - self.count
        switch self.work {
        case .queue:
            var changes = try [self.write(first, at: first, status: "done"), self.write(next, at: next)]
            if first >= Self.jobsKept { changes.append(try self.deletion(first - Self.jobsKept)) }
            return changes
        case .leaderboard: return [try self.write(self.nextRandom(), at: self.nextRandom())]
        case .timeline: return try [self.write(next, at: next), self.deletion(first)]
        case .sessions: return [try self.write(self.nextRandom(), at: next)]
        }
    }

    private func nextRandom() -> Int {
        self.random = self.random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int(self.random >> 33) % self.count
    }

    private func path(_ number: Int) throws -> ResourcePath {
        try ResourcePath(parsing: Array("\(self.work.rawValue)/\(number)".utf8))
    }

    private func write(_ number: Int, at place: Int, status: UTF8Text = "pending") throws -> DocumentChange {
        let fields = EncodedFields(encoding: [
            Value.MapEntry(key: "at", value: .integer(Int64(place))),
            Value.MapEntry(key: "status", value: .string(status)),
            Value.MapEntry(key: "text", value: .string(UTF8Text(String(repeating: "x", count: 80)))),
        ])
        return DocumentChange(
            database: self.database,
            path: try self.path(number),
            outcome: .set(fields, createTime: nil)
        )
    }

    private func deletion(_ number: Int) throws -> DocumentChange {
        DocumentChange(database: self.database, path: try self.path(number), outcome: .delete)
    }

    /// What a query takes of a processor, the median of some batches' means, and how many entries of the index it looks at at most.
    func ask(_ times: Int, batches: Int) throws -> (took: Duration, examined: Int) {
        var examined = 0
        var means: [Duration] = []
        for _ in 0..<batches {
            let start = ProcessorTime.now
            for _ in 0..<times { examined = max(examined, try self.ask()) }
            means.append((ProcessorTime.now - start) / times)
        }
        means.sort()
        return (means[batches / 2], examined)
    }

    /// Returns how many entries it looked at.
    private func ask() throws -> Int {
        let time = self.store.strongReadTime()
        var scan = try self.store.query(self.query, in: self.database, at: time, plans: self.plans)
        guard try scan.next(Int(self.work.limit)).count == Int(self.work.limit) else { throw Failed.fewResults }
        return scan.statistics.indexEntriesScanned
    }

    enum Failed: Error { case fewResults, historyGone }
}
