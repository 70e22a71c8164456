import BrasaDocuments
import BrasaLog
import BrasaQueries
import BrasaSimulation
import Synchronization
import Testing

@testable import BrasaStore

/// The life of indexes: asked for, built, used, dropped.
@Suite struct IndexTests {
    @Test func anIndexIsReadyWhenItIsBuiltAndListedWithItsUses() throws {
        let bench = try IndexFixture(documents: 50)
        let (fixture, database) = (bench.fixture, bench.database)
        let index = try bench.definition("x", .descending)
        #expect(!fixture.store.indexStep())
        fixture.store.requestIndex(index, in: database)
        fixture.store.requestIndex(index, in: database)
        #expect(fixture.store.readyIndex(index, in: database) == nil)
        #expect(fixture.store.indexes().map(\.state) == [.building])
        while fixture.store.indexStep() {}
        for _ in 0..<3 { fixture.store.markUsed([try #require(fixture.store.readyIndex(index, in: database))]) }
        #expect(fixture.store.statistics.indexes == [.ready: 1])
        let listed = try #require(fixture.store.indexes().first)
        #expect(fixture.store.indexes().count == 1)
        #expect(listed.state == .ready && listed.entries == 50 && listed.uses == 3)
        #expect(listed.bytes > 50 * 20 && listed.bytes < 50 * 400)
        #expect(listed.definition.properties == "(x DESC, __name__ ASC)")
        #expect(listed.created <= listed.lastUsed ?? .earliest)
    }

    @Test func anIndexThatNobodyUsesIsDropped() throws {
        let bench = try IndexFixture(documents: 20) { $0.indexIdle = .seconds(60) }
        for field in ["x", "y"] { try bench.build(field) }
        for _ in 0..<5 {
            bench.wait(20)
            #expect(try bench.use("x", times: 1))
        }
        bench.buildAll()
        #expect(bench.store.indexes().count == 1 && bench.fields(.ready) == ["x"])
        // A query that reads it goes on without.
        let held = try #require(bench.store.readyIndex(bench.definition("x"), in: bench.database))
        bench.wait(59)
        bench.buildAll()
        #expect(held.count == 20)
        bench.wait(1)
        bench.buildAll()
        #expect(held.count == nil && bench.store.indexes().isEmpty)
    }

    @Test func anIndexWhoseBuildTakesLongIsNotIdleWhenItIsReady() throws {
        let bench = try IndexFixture(documents: 20) { $0.indexIdle = .seconds(60) }
        try bench.request("x")
        for _ in 0..<10 {
            bench.wait(20)
            _ = bench.store.indexStep(budget: 1)
        }
        bench.buildAll()
        bench.wait(59)
        bench.buildAll()
        #expect(bench.fields(.ready) == ["x"])
    }

    @Test func elementsThatAreTheSameCountOnce() throws {
        let bench = try IndexFixture(documents: 0) { $0.log.segmentBytes = 4 << 20 }
        let (fixture, database) = (bench.fixture, bench.database)
        let elements = (0..<100_000).map { Value.integer(Int64($0 % 7)) }
        let fields = EncodedFields(encoding: [Value.MapEntry(key: "x", value: .array(elements))])
        let change = DocumentChange(
            database: database,
            path: try path("c/same"),
            outcome: .set(fields, createTime: nil)
        )
        _ = try fixture.store.apply(changes: [change], waiter: nil)
        fixture.store.requestIndex(try bench.definition("x", .contains), in: database)
        while fixture.store.indexStep() {}
        #expect(fixture.store.indexes().map(\.entries) == [7])
    }

    @Test(arguments: [true, false])
    func aDocumentWithTooManyElementsEndsTheIndex(isThereBefore: Bool) throws {
        let bench = try IndexFixture(documents: 10) { $0.log.segmentBytes = 4 << 20 }
        let (fixture, database) = (bench.fixture, bench.database)
        let elements = (0...IndexDefinition.entriesMax).map { Value.integer(Int64($0)) }
        let large = DocumentChange(
            database: database,
            path: try path("c/large"),
            outcome: .set(EncodedFields(encoding: [Value.MapEntry(key: "x", value: .array(elements))]), createTime: nil)
        )
        if isThereBefore { _ = try fixture.store.apply(changes: [large], waiter: nil) }
        let (contains, whole) = (try bench.definition("x", .contains), try bench.definition("x"))
        for index in [contains, whole] { fixture.store.requestIndex(index, in: database) }
        while fixture.store.indexStep() {}
        let held = fixture.store.readyIndex(contains, in: database)
        #expect((held == nil) == isThereBefore)
        if !isThereBefore { _ = try fixture.store.apply(changes: [large], waiter: nil) }
        if let held { #expect(held.count == nil) }
        #expect(fixture.store.readyIndex(contains, in: database) == nil)
        while fixture.store.indexStep() {}
        #expect(fixture.store.indexes().map(\.state) == [.abandoned, .ready])
        #expect(fixture.store.indexes().map(\.entries) == [0, 11])
        // It is not tried again before a while.
        fixture.store.requestIndex(contains, in: database)
        #expect(!fixture.store.indexStep())
        bench.wait(600)
        fixture.store.requestIndex(contains, in: database)
        #expect(fixture.store.indexes().map(\.state) == [.ready, .building])
    }

    @Test func pointsPartAGroupEvenly() throws {
        let fixture = try StoreFixture()
        let database = fixture.store.database(try databaseName())
        var random = SeededRandom(seed: 3)
        var all: [ResourcePath] = []
        for batch in 0..<40 {
            let changes = try (0..<100).map { number in
                let name =
                    random.chance(1, in: 2) ? "c/\(batch)-\(number)" : "p/\(batch)/q/\(number)/c/\(random.next() % 100)"
                all.append(try path(name))
                return DocumentChange(
                    database: database,
                    path: all[all.count - 1],
                    outcome: .set(.empty, createTime: nil)
                )
            }
            _ = try fixture.store.apply(changes: changes, waiter: nil)
            fixture.flush()
            try fixture.commit(database, (0..<10).map { ("c/\(batch)-0/other/\($0)", "") })
        }
        all.sort()
        let now = fixture.store.strongReadTime()
        for count in [0, 1, 2, 7, 20, Int.max] {
            let points = try fixture.store.partitionPoints(collectionID: "c", count: count, in: database, at: now)
            #expect(points.count <= min(count, 4_000 / 128))
            #expect(points.count >= min(count, 4_000 / 128) - 1)
            #expect(zip(points, points.dropFirst()).allSatisfy { $0 < $1 })
            var lengths: [Int] = []
            var rest = all[...]
            for point in points {
                let part = rest.prefix { $0 < point }
                lengths.append(part.count)
                rest = rest[part.endIndex...]
            }
            lengths.append(rest.count)
            let mean = 4_000 / lengths.count
            #expect(lengths.allSatisfy { abs($0 - mean) < 130 }, "\(lengths)")
        }
        #expect(try fixture.store.partitionPoints(collectionID: "nothing", count: 5, in: database, at: now).isEmpty)
    }
}
