import BrasaDocuments
import BrasaQueries
import Testing

@testable import BrasaStore

/// What queries read, and which indexes they ask for.
@Suite struct QueryPlanTests {
    private func properties(_ scan: QueryScan) -> [String] { scan.plan.indexesUsed.map(\.properties) }

    @Test func aQueryThatLooksAtMuchGetsAnIndexAndThenCostsWhatItReturns() throws {
        let bench = try QueryBench(count: 4_000)
        let query = try bench.query(
            [filter("team", .equal, .integer(3)), filter("score", .greaterThanOrEqual, .integer(1_000))],
            order: [("score", .ascending)],
            limit: 20
        )
        let (expected, scan) = try bench.run(query)
        #expect(expected.count == 20 && expected.first == "u1004")
        #expect(self.properties(scan) == ["(__name__ ASC)"])
        #expect(scan.statistics.documentsScanned == 4_000)
        bench.buildIndexes()
        let (names, indexed) = try bench.run(query)
        #expect(names == expected)
        #expect(self.properties(indexed) == ["(team ASC, score ASC, __name__ ASC)"])
        #expect(indexed.statistics.indexEntriesScanned == 20)
        #expect(indexed.statistics.documentsScanned == 20)
    }

    @Test(arguments: [1, 4, 256])
    func aConjunctionIsOneSeekAndOneWalkInHoweverManyShards(shards: Int) throws {
        let bench = try QueryBench(count: 2_000) { $0.shards = shards }
        let page = try bench.query([filter("team", .equal, .integer(3))], order: [("score", .descending)], limit: 20)
        let team = try bench.query([filter("team", .equal, .integer(5))])
        for query in [page, team] { _ = try bench.run(query) }
        bench.buildIndexes()
        let (names, scan) = try bench.run(page)
        #expect(names.count == 20 && names.first == "u1998" && names.last == "u1865")
        #expect(scan.statistics.indexEntriesScanned == 20)
        var counting = try bench.scan(team)
        #expect(try counting.skip(.max) == 285)
        #expect(counting.statistics.indexEntriesScanned == 285)
    }

    @Test func smallCollectionsAndQueriesOfNamesGetNoIndexes() throws {
        let bench = try QueryBench(count: 64)
        _ = try bench.run(bench.query([filter("status", .equal, .string("new"))]))
        _ = try bench.run(bench.query(order: [("score", .descending)], limit: 1))
        let large = try QueryBench(count: 2_000)
        _ = try large.run(large.query(limit: 1))
        _ = try large.run(large.query(order: [("__name__", .descending)]))
        #expect(bench.store.indexes().isEmpty && large.store.indexes().isEmpty)
    }

    @Test func mirroredQueriesShareAnIndex() throws {
        let bench = try QueryBench(count: 700)
        let up = try bench.query(order: [("team", .ascending), ("score", .descending)], limit: 5)
        let down = try bench.query(order: [("team", .descending), ("score", .ascending)], limit: 5)
        _ = try bench.run(up)
        _ = try bench.run(down)
        #expect(bench.store.indexes().map(\.definition.properties) == ["(team DESC, score ASC, __name__ ASC)"])
        bench.buildIndexes()
        #expect(try bench.run(up).names == ["u693", "u686", "u679", "u672", "u665"])
        let (names, scan) = try bench.run(down)
        #expect(names == ["u6", "u13", "u20", "u27", "u34"])
        #expect(scan.statistics.indexEntriesScanned < 40)
    }

    @Test func equalitiesJoinTheIndexesOfSingleFields() throws {
        let bench = try QueryBench(count: 3_000)
        let status = try filter("status", .equal, .string("new"))
        let team = try filter("team", .equal, .integer(2))
        _ = try bench.run(bench.query([status]))
        _ = try bench.run(bench.query([team], limit: 1))
        _ = try bench.run(bench.query([team], order: [("__name__", .descending)], limit: 400))
        bench.store.requestIndex(
            IndexDefinition(collectionID: "users", scope: .collection, parts: [.init(try field("team"), .ascending)]),
            in: bench.database
        )
        bench.buildIndexes()
        let (names, scan) = try bench.run(bench.query([status, team]))
        #expect(Set(names) == ["u100", "u800", "u1500", "u2200", "u2900"])
        #expect(self.properties(scan) == ["(status ASC, __name__ ASC)", "(team ASC, __name__ ASC)"])
        #expect(scan.statistics.indexEntriesScanned < 300)
        #expect(scan.statistics.documentsScanned == 5)
    }

    @Test func countingAnEqualityLooksAtNoDocuments() throws {
        let bench = try QueryBench(count: 3_000)
        let query = try bench.query([filter("status", .equal, .string("new"))])
        _ = try bench.run(query)
        bench.buildIndexes()
        var scan = try bench.scan(query)
        var count = 0
        while !scan.isAtEnd { count += try scan.skip(.max) }
        #expect(count == 30)
        #expect(scan.statistics.documentsScanned == 0 && scan.statistics.indexEntriesScanned == 30)
    }

    @Test func inequalitiesLeapOverTheValueThatMostHave() throws {
        let bench = try QueryBench(count: 3_000)
        let query = try bench.query([filter("status", .notEqual, .string("done"))])
        let expected = try bench.run(query).names
        bench.buildIndexes()
        let (names, scan) = try bench.run(query)
        #expect(names == expected && names.count == 30)
        #expect(self.properties(scan) == ["(status ASC, __name__ ASC)"])
        #expect(scan.statistics.indexEntriesScanned < 40)
    }

    @Test func membersOfAListBecomeMergedRangesOfOneIndex() throws {
        let bench = try QueryBench(count: 2_000)
        let members = Value.array([.integer(1), .integer(4), .integer(9)])
        let query = try bench.query([filter("team", .in, members)], order: [("score", .descending)], limit: 6)
        _ = try bench.run(query)
        bench.buildIndexes()
        let (names, scan) = try bench.run(query)
        #expect(names == ["u1999", "u1996", "u1992", "u1989", "u1985", "u1982"])
        #expect(self.properties(scan) == ["(team ASC, score ASC, __name__ ASC)"])
        #expect(scan.statistics.indexEntriesScanned < 80)
    }

    @Test func documentsGivenByTheirNamesAreLookedUp() throws {
        let bench = try QueryBench(count: 1_000)
        let names = try ["users/u7", "users/u500", "users/none", "teams/u8"].map { name in
            Value.reference(try DocumentName(database: databaseName(), path: path(name)).unwrapped())
        }
        let (found, scan) = try bench.run(bench.query([filter("__name__", .in, .array(names))]))
        #expect(found == ["u500", "u7"])
        #expect(scan.statistics.documentsScanned <= 4)
        #expect(bench.store.indexes().isEmpty)
    }

    @Test func manySourcesReadLittleAhead() throws {
        let bench = try QueryBench(count: 6_000) { $0.queryStepMax = 100_000 }
        let teams = try filter("team", .in, .array((0..<30).map { .integer($0) }))
        let query = try bench.query([teams], order: [("score", .ascending)])
        _ = try bench.run(query)
        bench.buildIndexes()
        var scan = try bench.scan(query)
        #expect(try scan.next(1).count == 1)
        for _ in 0..<3 {
            let before = scan.statistics
            _ = try scan.next(1_000)
            let read = scan.statistics
            let ahead = read.indexEntriesScanned - before.indexEntriesScanned
            #expect(ahead <= 1_000 + 2_048 + 4 * 30 * 4)
        }
    }

    @Test func usesCountQueries() throws {
        let bench = try QueryBench(count: 700)
        let query = try bench.query([filter("status", .in, .array([.string("new"), .string("old")]))])
        _ = try bench.run(query)
        bench.buildIndexes()
        for _ in 0..<3 { _ = try bench.run(query) }
        #expect(bench.store.indexes().map(\.uses) == [3])
    }

    @Test func groupsBelowADocumentHaveIndexesForTheirOrders() throws {
        let bench = try QueryBench(count: 0)
        try bench.write(0..<900, path: { "clubs/c\($0 % 3)/rooms/r\($0 % 5)/users/u\($0)" })
        let query = try bench.query(order: [("score", .descending)], parent: "clubs/c1", group: true, limit: 4)
        let expected = try bench.run(query).names
        bench.buildIndexes()
        let (names, scan) = try bench.run(query)
        #expect(names == expected && names == ["u898", "u895", "u892", "u889"])
        #expect(self.properties(scan) == ["(__ancestor__ ASC, score ASC, __name__ ASC)"])
        #expect(scan.plan.indexesUsed.map(\.queryScope) == ["Collection group"])
        #expect(scan.statistics.indexEntriesScanned < 40)
    }

    @Test func namesDecideOnlyWhatTheySayTogether() throws {
        let bench = try QueryBench(count: 10)
        let reference = { (id: String) in
            Value.reference(try DocumentName(database: databaseName(), path: path("users/\(id)")).unwrapped())
        }
        let list = try filter("__name__", .in, .array([reference("u2"), reference("u7")]))
        let above = try filter("__name__", .greaterThan, reference("u2"))
        let one = try filter("__name__", .equal, reference("u3"))
        let never = try StructuredQuery.Filter.composite(
            .and,
            [filter("team", .equal, .integer(1)), filter("team", .equal, .integer(2))]
        )
        #expect(try bench.run(bench.query([list, above])).names == ["u7"])
        #expect(try bench.run(bench.query([.composite(.or, [one, one])])).names == ["u3"])
        #expect(try bench.run(bench.query([.composite(.or, [above, never])])).names == (3...9).map { "u\($0)" })
        #expect(try bench.run(bench.query([.composite(.or, [never, never])])).names == [])
    }

    @Test func collectionGroupsHaveIndexesOfTheirOwn() throws {
        let bench = try QueryBench(count: 0)
        try bench.write(0..<400, path: { "users/u\($0)" })
        try bench.write(400..<900, path: { "clubs/c\($0 % 9)/users/u\($0)" })
        let query = try bench.query(
            [filter("team", .equal, .integer(1)), filter("score", .lessThan, .integer(420))],
            order: [("score", .descending)],
            group: true,
            limit: 4
        )
        let expected = try bench.run(query).names
        bench.buildIndexes()
        let (names, scan) = try bench.run(query)
        #expect(names == expected && names == ["u414", "u407", "u400", "u393"])
        #expect(scan.plan.indexesUsed.map(\.queryScope) == ["Collection group"])
        #expect(scan.statistics.indexEntriesScanned < 40)
    }
}
