import BrasaDocuments
import BrasaPlatform
import BrasaQueries
import BrasaSimulation
import Synchronization
import Testing

@testable import BrasaStore

/// Which indexes are there when there is no room for all: the least recently used go, and what is missed fails for a while.
@Suite struct IndexRoomTests {
    /// A store in which `places` small indexes fit.
    private func small(places: Int, _ adjust: (inout Store.Configuration) -> Void = { _ in }) throws -> IndexFixture {
        try IndexFixture(documents: 3) {
            $0.indexBytesMin = 10_000
            $0.indexBytesMax = places * 10_000
            adjust(&$0)
        }
    }

    /// A store of which each index of `x` or `y` takes more than half of the room.
    private func narrow() throws -> IndexFixture {
        try IndexFixture(documents: 100, textBytes: 1_000) {
            $0.indexBytesMin = 1_000
            $0.indexBytesMax = 180_000
        }
    }

    // MARK: One order by bytes

    @Test func `An index counts as a floor at least, so that only so many are there`() throws {
        let bench = try self.small(places: 4)
        for number in 0..<10 {
            try bench.build("f\(number)")
            try bench.use("f\(number)")
        }
        #expect(bench.fields(.ready) == ["f0", "f1", "f2", "f3"])
        #expect(bench.fields(.doesNotFit).count == 6)
        #expect(bench.cost(of: bench.database) == 40_000 && bench.store.indexRegistry.total.cost == 40_000)
        #expect(bench.store.indexRegistry.total.bytes < 40_000)
    }

    @Test func `However little memory there is for indexes, there is room for a small one`() throws {
        let bench = try IndexFixture(documents: 3) { $0.indexBytesMax = 50_000 }
        try bench.build("x")
        #expect(bench.fields(.ready) == ["x"])
    }

    @Test func `The least recently used index that rests makes room, and is forgotten`() throws {
        let bench = try self.small(places: 3)
        for field in ["a", "b", "c"] {
            try bench.build(field)
            try bench.use(field)
        }
        bench.wait(601)
        for field in ["c", "a"] {
            try bench.use(field)
            bench.wait(1)
        }
        try bench.build("d")
        #expect(bench.fields(.ready) == ["a", "c", "d"] && bench.store.indexes().count == 3)
    }

    @Test func `What hardly anybody used makes room before what was used longer ago`() throws {
        let bench = try self.small(places: 3)
        for (field, uses) in [("a", 3), ("b", 2), ("c", 3)] {
            try bench.build(field)
            try bench.use(field, times: uses)
            bench.wait(700)
        }
        try bench.build("d")
        #expect(bench.fields(.ready) == ["a", "c", "d"])
    }

    @Test func `Queries of fields that are different each time push out none that is used`() throws {
        let bench = try self.small(places: 8)
        for field in ["x", "y"] {
            try bench.build(field)
            try bench.use(field)
        }
        for number in 0..<500 {
            try bench.build("members.u\(number)")
            #expect(try bench.use("members.u\(number)", times: 1))
            // One that comes to be used meanwhile finds room as well.
            if number == 250 { try bench.build("z") }
            if number == 251 { #expect(try bench.use("z")) }
            bench.wait(2)
        }
        #expect(bench.fields(.ready).count == 8)
        for field in ["x", "y", "z"] { #expect(try bench.use(field)) }
    }

    // MARK: One back-off

    @Test func `A build that does not fit is given up for a while`() throws {
        let bench = try IndexFixture(documents: 300, textBytes: 1_000) { $0.indexBytesMax = 100_000 }
        try bench.request("x")
        while bench.store.indexStep(budget: 10) {}
        let listed = try #require(bench.store.indexes().first)
        #expect(bench.store.statistics.indexes == [.doesNotFit: 1])
        #expect(listed.state == .doesNotFit && listed.bytes == 0 && listed.entries == 0)
        try bench.request("x")
        #expect(!bench.store.indexStep())
        #expect(bench.database.order.withLock { $0.indexes.isEmpty })
        bench.wait(600)
        try bench.request("x")
        #expect(bench.fields(.building) == ["x"])
    }

    @Test func `A build fails rather than take the room of what is in use`() throws {
        let bench = try self.narrow()
        try bench.build("x")
        try bench.use("x")
        try bench.build("y")
        #expect(bench.fields(.ready) == ["x"] && bench.fields(.doesNotFit) == ["y"])
        bench.wait(599)
        try bench.use("x", times: 1)
        bench.wait(1)
        try bench.build("y")
        #expect(bench.fields(.ready) == ["x"] && bench.fields(.doesNotFit) == ["y"])
        bench.wait(1_200)
        try bench.build("y")
        #expect(bench.fields(.ready) == ["y"] && bench.store.indexes().count == 1)
    }

    @Test func `What hardly anybody used makes room at once, and does not drive out the other in turn`() throws {
        let bench = try self.narrow()
        try bench.build("x")
        try bench.use("x", times: 2)
        try bench.build("y")
        #expect(bench.fields(.ready) == ["y"] && bench.fields(.doesNotFit) == ["x"])
        try bench.build("x")
        #expect(bench.fields(.ready) == ["y"] && bench.fields(.doesNotFit) == ["x"])
    }

    @Test func `What outgrows the bound goes even while it is read, and is told`() throws {
        let bench = try IndexFixture(documents: 100, textBytes: 1_000) { $0.indexBytesMax = 300_000 }
        try bench.build("x")
        try bench.use("x")
        let held = try #require(bench.store.readyIndex(bench.definition("x"), in: bench.database))
        #expect(held.count == 100)
        for number in 100..<300 { try bench.write(number, textBytes: 1_000) }
        #expect(held.count == 300)
        bench.buildAll()
        #expect(held.count == nil)
        let listed = try #require(bench.store.indexes().first)
        #expect(listed.state == .doesNotFit && listed.bytes == 0 && listed.uses == 3)
        #expect(bench.store.statistics.indexes == [.doesNotFit: 1] && bench.store.memory.indexes == 0)
        let key = IndexRegistry.Key(database: bench.database, definition: try bench.definition("x"))
        #expect(bench.store.indexRegistry.doesNotFit(key))
        bench.wait(599)
        try bench.build("x")
        #expect(bench.fields(.doesNotFit) == ["x"])
        bench.wait(1)
        try bench.request("x")
        #expect(bench.fields(.building) == ["x"])
    }

    @Test func `What others grow by takes the room of the least recently used`() throws {
        let bench = try IndexFixture(documents: 50, textBytes: 1_000) {
            $0.indexBytesMax = 300_000
            // More than one document may let a tree grow by.
            $0.indexBytesMin = 20_000
        }
        for field in ["z", "x"] {
            try bench.build(field)
            try bench.use(field)
            bench.wait(1)
        }
        for number in 50..<1_000 where bench.fields(.doesNotFit).isEmpty {
            try bench.write(number, textBytes: 1_000)
            bench.buildAll()
        }
        #expect(bench.fields(.doesNotFit) == ["z"] && bench.fields(.ready) == ["x"])
    }

    @Test func `An index that fails again is given up for twice as long, until its failure is forgotten`() throws {
        let bench = try IndexFixture(documents: 300, textBytes: 1_000) { $0.indexBytesMax = 100_000 }
        for seconds in [600, 1_200, 2_400] as [Int64] {
            try bench.build("x")
            bench.wait(seconds - 1)
            try bench.request("x")
            #expect(bench.fields(.doesNotFit) == ["x"])
            bench.wait(1)
        }
        try bench.build("x")
        bench.wait(2 * 4_800 - 1)
        bench.buildAll()
        #expect(bench.fields(.doesNotFit) == ["x"])
        bench.wait(1)
        bench.buildAll()
        #expect(bench.store.indexes().isEmpty)
        try bench.build("x")
        bench.wait(600)
        try bench.request("x")
        #expect(bench.fields(.building) == ["x"])
    }

    @Test func `An index that was there for longer than any failure waits begins anew`() throws {
        var time = MonotonicTime(sinceStart: .seconds(5))
        var backOff = IndexBackOff(span: .seconds(10), at: time)
        for wait in [10, 20, 40, 80, 160, 320, 640, 1_280, 1_280] {
            backOff.fail(at: time)
            #expect(backOff.until == time + .seconds(wait) && backOff.end == time + .seconds(2 * wait))
            time = backOff.until + .seconds(1_280)
        }
        backOff.fail(at: time + .seconds(1))
        #expect(backOff.until == time + .seconds(11))
    }

    // MARK: Bounds of a collection and of what waits

    @Test func `A collection has so many indexes, and the same ones go first`() throws {
        let bench = try self.small(places: 100) { $0.collectionIndexesMax = 2 }
        for number in 0..<10 { try bench.request("members.u\(number)") }
        try bench.request("x", collection: "others")
        bench.buildAll()
        #expect(bench.fields(.ready) == ["members.u8", "members.u9", "x"])
        #expect(bench.fields(.abandoned).count == 8)
        for number in [8, 9] { try bench.use("members.u\(number)") }
        try bench.build("x")
        #expect(bench.fields(.ready).count == 3 && bench.fields(.abandoned).contains("x"))
        bench.wait(601)
        try bench.use("members.u8", times: 1)
        try bench.build("x")
        #expect(bench.fields(.ready) == ["members.u8", "x", "x"])
    }

    @Test func `What waits and what failed is bounded for each database`() throws {
        let bench = try self.small(places: 1)
        let quiet = bench.store.database(try databaseName("quiet"))
        try bench.build("x")
        try bench.use("x")
        for number in 0..<300 { try bench.request("f\(number)") }
        try bench.request("x", in: quiet)
        #expect(bench.fields(.building).count == 256 && bench.fields(.building, in: quiet) == ["x"])
        bench.buildAll()
        for number in 300..<400 { try bench.build("f\(number)") }
        #expect(bench.fields(.doesNotFit).count == 256 && bench.fields(.doesNotFit, in: quiet) == ["x"])
        #expect(bench.fields(.doesNotFit).last == "f399" && bench.fields(.ready) == ["x"])
    }

    @Test func `What waits and what failed is bounded for all databases together`() throws {
        let bench = try self.small(places: 1)
        let databases = try (0..<20).map { bench.store.database(try databaseName("db\($0)")) }
        for database in databases { for number in 0..<256 { try bench.request("f\(number)", in: database) } }
        let quiet = bench.store.database(try databaseName("quiet"))
        try bench.request("x", in: quiet)
        #expect(bench.store.indexes().count { $0.state == .building } == 4_096)
        #expect(bench.fields(.building, in: quiet) == ["x"])
        bench.buildAll()
        for database in databases { for number in 256..<300 { try bench.build("f\(number)", in: database) } }
        #expect(bench.store.indexes().count { $0.state == .doesNotFit } == 4_096)
    }

    @Test func `What is asked for again is built before what is not, and takes the place of it`() throws {
        let bench = try self.small(places: 1_000)
        for number in 0..<256 { try bench.request("f\(number)") }
        bench.fixture.wait(.seconds(1))
        for field in ["f0", "f7", "new"] { try bench.request(field) }
        let waiting = bench.fields(.building)
        #expect(waiting.count == 256 && waiting.contains("new") && waiting.contains("f0") && !waiting.contains("f1"))
        while bench.fields(.ready).count < 3, bench.store.indexStep() {}
        #expect(Set(bench.fields(.ready)) == ["f0", "f7", "new"])
    }
}

extension Index {
    /// Nil when the index was dropped.
    var count: Int? {
        self.read(
            IndexReading(
                position: .start,
                end: .end,
                time: .max,
                isDescending: false,
                isCounting: true,
                needsPlaces: false,
                budget: ScanBudget(entries: 1_000)
            )
        )?
        .count
    }
}
