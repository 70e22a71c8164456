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
        self.forget()
        self.bench.buildIndexes()
    }

    private func forget() {
        let registry = self.bench.store.indexRegistry
        registry.state.withLock { state in
            for key in Array(state.records.keys) { state.remove(key) }
        }
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

    @Test func aQueryThatIsAskedAgainIsPlannedWhenAnIndexHasComeOrGone() throws {
        let (store, database) = (self.bench.store, self.bench.database)
        let query = try self.team(3)
        var planned: PlannedQuery?
        func properties(isAnyOrder: Bool = false) throws -> [String] {
            var scan = try store.query(
                query,
                in: database,
                at: store.strongReadTime(),
                isAnyOrder: isAnyOrder,
                &planned
            )
            #expect(try scan.next(1).count == 1)
            return scan.plan.indexesUsed.map(\.properties)
        }
        func holds(isAnyOrder: Bool = false) -> Bool {
            planned?.holds(in: database, of: store, isAnyOrder: isAnyOrder) ?? false
        }
        #expect(try properties() == ["(__name__ ASC)"] && holds())
        try self.build(query)
        #expect(!holds())
        #expect(try properties() == [Self.byTeam] && holds() && !holds(isAnyOrder: true))
        let other = store.database(try databaseName("other"))
        #expect(planned?.holds(in: other, of: store, isAnyOrder: false) == false)
        #expect(try properties() == [Self.byTeam])
        #expect(store.indexes().map(\.uses) == [2])
        try #require(planned?.indexes.first).counts.overflow()
        #expect(!holds())
        self.drop()
        #expect(try properties() == ["(__name__ ASC)"] && holds())
    }

    @Test func aQueryIsPlannedLikeAnotherUntilAnIndexHasComeOrGone() throws {
        let (store, database) = (self.bench.store, self.bench.database)
        var other: PlannedQuery?
        func names(_ team: Int64) throws -> [String] {
            var planned: PlannedQuery?
            var scan = try store.query(
                self.team(team),
                in: database,
                at: store.strongReadTime(),
                like: other,
                &planned
            )
            other = planned
            return try scan.next(5).map { String(decoding: $0.path.lastSegment, as: UTF8.self) }
        }
        func check(_ properties: String) throws {
            for team in Int64(0)..<7 { #expect(try names(team) == (0..<5).map { "u\(Int(team) + 7 * $0)" }) }
            #expect(try #require(other).summary.indexesUsed.map(\.properties) == [properties])
        }
        try check("(__name__ ASC)")
        try self.build(self.team(3))
        try check(Self.byTeam)
        self.drop()
        try check("(__name__ ASC)")
    }

    /// Asks by the plan that the query's scan of before had.
    private static func count(_ query: Query, on bench: QueryBench, upTo most: Int = .max) throws -> Int? {
        try bench.store.countInOneVisit(
            self.planned(query, on: bench),
            in: bench.database,
            at: bench.store.strongReadTime(),
            upTo: most
        )
    }

    private static func planned(_ query: Query, on bench: QueryBench) throws -> PlannedQuery {
        var planned: PlannedQuery?
        let time = bench.store.strongReadTime()
        _ = try bench.store.query(query, in: bench.database, at: time, isAnyOrder: true, &planned)
        return try #require(planned)
    }

    @Test func aCountOfARowIsToldByOneVisit() throws {
        let team = try self.team(3, limit: nil)
        #expect(try Self.count(team, on: self.bench) == nil)
        try self.build(team)
        #expect(try Self.count(team, on: self.bench) == 100)
        // By the scan that planned it, and by the visit.
        #expect(self.bench.store.indexes().map(\.uses) == [2])
        #expect(try Self.count(team, on: self.bench, upTo: 7) == 7)
        #expect(try Self.count(team, on: self.bench, upTo: 0) == 0)
        let none = try self.bench.query([
            filter("team", .equal, .integer(3)), filter("score", .lessThan, .integer(0)),
        ])
        #expect(try Self.count(none, on: self.bench) == 0)
        // What is not in a row takes a scan.
        let teams = try [3, 4].map { try filter("team", .equal, .integer($0)) }
        let either = try self.bench.query([.composite(.or, teams)], order: [("score", .ascending)])
        #expect(try Self.count(either, on: self.bench) == nil)
    }

    @Test func aCountWhoseIndexHasJustGoneTakesAScan() throws {
        let (store, database) = (self.bench.store, self.bench.database)
        let team = try self.team(3, limit: nil)
        try self.build(team)
        let planned = try Self.planned(team, on: self.bench)
        let index = try #require(planned.indexes.first)
        // Before anybody who planned with it is told.
        self.forget()
        _ = database.order.withLock { $0.remove(index.counts) }
        #expect(planned.holds(in: database, of: store, isAnyOrder: true))
        let time = store.strongReadTime()
        #expect(try store.countInOneVisit(planned, in: database, at: time) == nil)
        var kept: PlannedQuery? = planned
        var scan = try store.query(team, in: database, at: time, isAnyOrder: true, &kept)
        var count = 0
        while !scan.isAtEnd { count += try scan.skip(.max) }
        #expect(count == 100)
    }

    @Test func aRowThatIsTooLongForOneVisitIsNotTriedAgain() throws {
        let bench = try QueryBench(count: 700) { $0.queryStepMax = 64 }
        let team = try bench.query([filter("team", .equal, .integer(3))])
        let rare = try bench.query([filter("status", .equal, .string("new"))])
        for query in [team, rare] {
            bench.store.requestIndex(try #require(bench.scan(query).planner.idealDefinitions.first), in: bench.database)
        }
        bench.buildIndexes()
        let (many, few) = try (Self.planned(team, on: bench), Self.planned(rare, on: bench))
        func count(_ planned: PlannedQuery, upTo most: Int = .max) throws -> Int? {
            let time = bench.store.strongReadTime()
            return try bench.store.countInOneVisit(planned, in: bench.database, at: time, upTo: most)
        }
        #expect(try count(many, upTo: 5) == 5 && count(many) == nil && count(many, upTo: 5) == nil)
        #expect(try count(few) == 7 && count(few) == 7)
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
