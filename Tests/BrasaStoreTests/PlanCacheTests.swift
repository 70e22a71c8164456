import BrasaDocuments
import BrasaQueries
import BrasaQueryModel
import Synchronization
import Testing

@testable import BrasaStore

/// Plans that are kept for queries like the ones before them.
@Suite struct PlanCacheTests {
    private let bench: QueryBench
    private let plans = PlanCache()

    init() throws {
        self.bench = try QueryBench(count: 700)
    }

    private func scan(_ query: Query) throws -> QueryScan {
        let (store, database) = (self.bench.store, self.bench.database)
        return try store.query(query, in: database, at: store.strongReadTime(), plans: self.plans)
    }

    private func names(_ query: Query) throws -> [String] {
        var scan = try self.scan(query)
        var names: [String] = []
        let limit = query.limit ?? .max
        while names.count < limit, !scan.isAtEnd {
            names += try scan.next(limit - names.count).map { String(decoding: $0.path.lastSegment, as: UTF8.self) }
        }
        return names
    }

    private func team(_ number: Int64, limit: Int32? = 5) throws -> Query {
        try self.bench.query([filter("team", .equal, .integer(number))], order: [("score", .ascending)], limit: limit)
    }

    private func properties(_ query: Query) throws -> [String] {
        try self.scan(query).plan.indexesUsed.map(\.properties)
    }

    private static let byTeam = "(team ASC, score ASC, __name__ ASC)"

    private func build(_ query: Query) throws {
        _ = try self.bench.run(query)
        self.bench.buildIndexes()
    }

    /// Takes the index away as memory that is short would.
    private func drop() {
        let registry = self.bench.store.indexRegistry
        registry.state.withLock { state in
            for key in Array(state.records.keys) { state.remove(key) }
        }
        self.bench.buildIndexes()
    }

    @Test func aPlanServesQueriesThatDifferInValues() throws {
        try self.build(self.team(3))
        for number in 0..<7 {
            #expect(try self.names(self.team(Int64(number))) == (0..<5).map { "u\(number + 7 * $0)" })
        }
        #expect(self.plans.count == 1)
        #expect(self.bench.store.indexes().map(\.uses) == [7])
        // Whoever asks for other values is given the plan, without a look at the indexes; until one of them has gone.
        #expect(try self.known(self.team(9)) == [Self.byTeam])
        self.drop()
        #expect(try self.known(self.team(9)) == nil)
    }

    /// The indexes of the plan that is remembered for queries like this one.
    private func known(_ query: Query) throws -> [String]? {
        let generation = self.bench.store.indexRegistry.generation
        let known = self.plans.find(query, in: self.bench.database, generation: generation)
        return known?.choices.flatMap { $0.accesses.map(\.index.definition.properties) }
    }

    @Test func aPlanGivesWayToABetterIndexAndToNone() throws {
        let query = try self.team(3)
        #expect(try self.properties(query) == ["(__name__ ASC)"])
        try self.build(query)
        #expect(try self.properties(query) == [Self.byTeam])
        let held = try self.scan(query)
        self.drop()
        #expect(try self.properties(query) == ["(__name__ ASC)"])
        #expect(try self.names(query) == ["u3", "u10", "u17", "u24", "u31"])
        // One that was planned before it went finds out by itself.
        var left = held
        #expect(try left.next(5).map { $0.path.lastSegment.count } == [2, 3, 3, 3, 3])
    }

    @Test func aPlanKeepsNoIndexThatNobodyUses() throws {
        let query = try self.team(3)
        try self.build(query)
        #expect(try self.properties(query) == [Self.byTeam])
        self.bench.fixture.wait(self.bench.fixture.configuration.indexIdle + .seconds(1))
        self.bench.buildIndexes()
        #expect(self.bench.store.indexes().isEmpty)
        #expect(try self.properties(query) == ["(__name__ ASC)"])
    }

    @Test func plansAreBoundedAndTheLatestStay() throws {
        for number in 0..<100 {
            _ = try self.scan(self.bench.query([filter("field\(number)", .equal, .integer(1))]))
            _ = try self.scan(self.team(1))
        }
        #expect(self.plans.count == PlanCache.countMax)
        try self.build(self.team(3))
        #expect(try self.names(self.team(2)) == ["u2", "u9", "u16", "u23", "u30"])
    }

    /// Whatever came before, queries that are nearly alike are told apart.
    @Test(arguments: 0..<8 as Range<UInt64>)
    func queriesThatAreNearlyAlikeHaveTheirOwnPlans(seed: UInt64) throws {
        let team = try filter("team", .equal, .integer(2))
        let status = try filter("status", .equal, .string("new"))
        let either = try StructuredQuery.Filter.composite(.or, [team, filter("team", .equal, .integer(4))])
        let queries = try [
            self.team(2), self.team(2, limit: nil),
            self.bench.query([team], order: [("score", .descending)], limit: 5),
            self.bench.query([team, filter("score", .greaterThan, .integer(400))], limit: 5),
            self.bench.query([team, filter("score", .lessThanOrEqual, .integer(40))]),
            self.bench.query([filter("team", .greaterThan, .integer(2))], order: [("team", .ascending)], limit: 5),
            self.bench.query([filter("team", .notEqual, .integer(2))], limit: 5),
            self.bench.query([team, status]), self.bench.query([status, team]), self.bench.query([status]),
            self.bench.query([either], order: [("score", .ascending)], limit: 5),
            self.bench.query([team], group: true), self.bench.query([team], collection: "others"),
            self.bench.query([team], parent: "users/u1"), self.bench.query(limit: 5),
            self.bench.query([filter("__name__", .equal, self.reference("users/u9")), team]),
        ]
        for query in queries { _ = try self.bench.run(query) }
        if seed % 4 > 0 { self.bench.buildIndexes() }
        let expected = try queries.map { try self.bench.run($0).names }
        var random = SeededRandom(seed: seed)
        for _ in 0..<100 {
            let number = random.below(queries.count)
            #expect(try self.names(queries[number]) == expected[number], "\(number)")
            if random.below(20) == 0 { _ = self.bench.store.indexStep() }
            if random.below(40) == 0 { self.drop() }
        }
    }

    private func reference(_ name: String) throws -> Value {
        .reference(try DocumentName(database: databaseName(), path: path(name)).unwrapped())
    }
}
