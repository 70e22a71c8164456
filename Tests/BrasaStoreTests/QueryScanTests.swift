import BrasaDocuments
import BrasaQueries
import Synchronization
import Testing

@testable import BrasaStore

/// Scans that take many calls.
@Suite struct QueryScanTests {
    @Test func oneCallDoesBoundedWork() throws {
        let bench = try QueryBench(count: 6_000)
        let none = try bench.query([filter("status", .equal, .string("lost"))])
        let sorted = try bench.query(order: [("team", .ascending), ("score", .descending)])
        for query in [none, sorted] {
            var scan = try bench.scan(query)
            var (before, calls) = (0, 0)
            while !scan.isAtEnd, calls < 100 {
                _ = try scan.next(10_000)
                #expect(scan.statistics.examined - before <= 1_100)
                before = scan.statistics.examined
                calls += 1
            }
            #expect(scan.isAtEnd && calls > 5)
        }
    }

    @Test func longValuesAreSortedInMoreSteps() throws {
        let bench = try QueryBench(count: 0)
        for number in 0..<40 {
            let text = UTF8Text(String(repeating: "x", count: 50_000) + "\(number % 10)\(number / 10)")
            let fields = EncodedFields(encoding: [Value.MapEntry(key: "text", value: .string(text))])
            let change = DocumentChange(
                database: bench.database,
                path: try path("users/u\(number)"),
                outcome: .set(fields, createTime: nil)
            )
            try bench.fixture.commit([change])
        }
        var scan = try bench.scan(bench.query(order: [("text", .ascending)]))
        var (names, calls) = ([String](), 0)
        while !scan.isAtEnd {
            names += try scan.next(100).map(\.path.string)
            calls += 1
        }
        #expect(names == (0..<40).map { "users/u\($0 / 4 + $0 % 4 * 10)" })
        #expect(calls > 2)
    }

    @Test func aSortMovesToTheIndexThatWasBuiltMeanwhile() throws {
        let bench = try QueryBench(count: 3_000) { $0.sortedMax = 100 }
        let query = try bench.query(order: [("score", .descending)])
        var scan = try bench.scan(query)
        var names: [ResourcePath] = []
        while names.count < 150 { names += try scan.next(150 - names.count).map(\.path) }
        #expect(bench.store.indexes().map(\.definition.properties) == ["(score ASC, __name__ ASC)"])
        bench.buildIndexes()
        while !scan.isAtEnd { names += try scan.next(1_000).map(\.path) }
        #expect(names.map(\.string) == (0..<3_000).reversed().map { "users/u\($0)" })
        #expect(scan.plan.indexesUsed.map(\.properties) == ["(__name__ ASC)", "(score ASC, __name__ ASC)"])
        #expect(scan.statistics.documentsScanned < 12_000)
    }

    @Test func aScanByNameMovesToTheIndexThatWasBuiltMeanwhile() throws {
        let bench = try QueryBench(count: 6_000) { $0.sortedMax = 500 }
        let query = try bench.query([filter("status", .equal, .string("new"))])
        var scan = try bench.scan(query)
        var names = try scan.next(10).map(\.path.string)
        bench.buildIndexes()
        while !scan.isAtEnd { names += try scan.next(1_000).map(\.path.string) }
        #expect(Set(names) == Set((0..<60).map { "users/u\($0 * 100)" }) && names.count == 60)
        #expect(scan.statistics.documentsScanned < 4_000)
        #expect(scan.plan.indexesUsed.count == 2)
    }

    /// An offset, and a count of a query with a limit, cost a look at the index alone.
    @Test(arguments: [1, 1_024])
    func passesOverWhatAnIndexTellsWithoutALookAtDocuments(stepMax: Int) throws {
        let bench = try QueryBench(count: 700) { $0.queryStepMax = stepMax }
        let query = try bench.query([filter("team", .equal, .integer(3))], order: [("score", .ascending)])
        _ = try bench.run(query)
        bench.buildIndexes()
        let scan = try bench.scan(query)
        // The first of them lost their keys since, and others got such.
        try bench.write(0..<70, team: { _ in 5 })
        try bench.write(0..<35, team: { $0 % 7 + 3 })
        for isLost in [false, true] {
            var scan = scan
            var passed = 0
            while passed < 30 { passed += try scan.skip(30 - passed) }
            #expect(passed == 30 && scan.statistics.documentsScanned == 0)
            if isLost {
                bench.store.indexRegistry.state.withLock { state in
                    for key in Array(state.records.keys) { state.remove(key) }
                }
                bench.buildIndexes()
            }
            var names: [String] = []
            while names.count < 3 {
                names += try scan.next(3 - names.count).map { String(decoding: $0.path.lastSegment, as: UTF8.self) }
            }
            #expect(names == ["u213", "u220", "u227"])
        }
    }

    @Test func readsOneSnapshotWhateverIsWritten() throws {
        let bench = try QueryBench(count: 500)
        let query = try bench.query(order: [("score", .ascending)])
        bench.store.requestIndex(
            IndexDefinition(collectionID: "users", scope: .collection, parts: [.init(try field("score"), .ascending)]),
            in: bench.database
        )
        bench.buildIndexes()
        var scan = try bench.scan(query)
        var names = try scan.next(100).map(\.path.string)
        try bench.write(600..<700)
        try bench.fixture.commit(bench.database, (200..<300).map { ("users/u\($0)", nil) })
        while bench.store.maintain() {}
        while !scan.isAtEnd { names += try scan.next(7).map(\.path.string) }
        #expect(names == (0..<500).map { "users/u\($0)" })
        #expect(try bench.run(query).names.count == 500)
    }
}
