import BrasaDocuments
import BrasaQueries
import Testing

@testable import BrasaStore

/// Joins of indexes of single fields.
@Suite struct IndexJoinTests {
    private func bench(_ adjust: (inout Store.Configuration) -> Void) throws -> QueryBench {
        let bench = try QueryBench(count: 0) {
            $0.shards = 1
            adjust(&$0)
        }
        for name in ["status", "team"] {
            bench.store.requestIndex(
                IndexDefinition(
                    collectionID: "users",
                    scope: .collection,
                    parts: [.init(try field(name), .ascending)]
                ),
                in: bench.database
            )
        }
        return bench
    }

    @Test(arguments: [StructuredQuery.Order.Direction.ascending, .descending], [1, 2, 7])
    func passesEntriesThatAreNoLongerTrueHoweverLittleACallMayDo(
        direction: StructuredQuery.Order.Direction,
        stepMax: Int
    ) throws {
        let bench = try self.bench { $0.queryStepMax = stepMax }
        // All were in the team once, few still are; of the new ones some never were.
        try bench.write(0..<400, path: { "users/u\(1_000 + $0)" }, team: { _ in 3 })
        try bench.write(0..<400, path: { "users/u\(1_000 + $0)" }, team: { $0 % 200 == 0 ? 3 : 1 })
        bench.buildIndexes()
        let query = try bench.query(
            [filter("status", .equal, .string("new")), filter("team", .equal, .integer(3))],
            order: [("__name__", direction)]
        )
        var scan = try bench.scan(query)
        var (names, calls) = ([String](), 0)
        while !scan.isAtEnd, calls < 5_000 {
            names += try scan.next(10).map { String(decoding: $0.path.lastSegment, as: UTF8.self) }
            calls += 1
        }
        #expect(scan.isAtEnd)
        #expect(names == (direction == .ascending ? ["u1000", "u1200"] : ["u1200", "u1000"]))
        #expect(scan.plan.indexesUsed.count == 2)
    }

    @Test func aJoinMovesToTheIndexThatWasBuiltMeanwhile() throws {
        let bench = try self.bench { $0.sortedMax = 10 }
        try bench.write(0..<2_000)
        bench.buildIndexes()
        let query = try bench.query([
            filter("status", .equal, .string("done")), filter("team", .equal, .integer(3)),
        ])
        var scan = try bench.scan(query)
        var names = try scan.next(10).map(\.path)
        #expect(scan.plan.indexesUsed.count == 2)
        for definition in scan.planner.shapes.compactMap(\.idealDefinition) {
            bench.store.requestIndex(definition, in: bench.database)
        }
        bench.buildIndexes()
        while !scan.isAtEnd { names += try scan.next(10).map(\.path) }
        let expected = try (0..<2_000).filter { $0 % 7 == 3 && $0 % 100 != 0 }.map { try path("users/u\($0)") }
        #expect(names == expected.sorted())
        #expect(scan.plan.indexesUsed.map(\.properties).last == "(status ASC, team ASC, __name__ ASC)")
    }
}
