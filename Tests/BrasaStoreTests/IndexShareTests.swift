import BrasaDocuments
import BrasaSimulation
import Testing

@testable import BrasaStore

/// What indexes take is bounded for all databases together; each has its part, whatever the others do.
@Suite struct IndexShareTests {
    private func bench(places: Int) throws -> (IndexFixture, quiet: DatabaseHandle) {
        let bench = try IndexFixture(documents: 3) {
            $0.indexBytesMin = 10_000
            $0.indexBytesMax = places * 10_000
        }
        let quiet = bench.store.database(try databaseName("quiet"))
        for number in 0..<3 { try bench.write(number, textBytes: 10, in: quiet) }
        return (bench, quiet)
    }

    @Test func `A database that fills the memory for indexes does not take another's`() throws {
        let (bench, quiet) = try self.bench(places: 8)
        for field in ["a", "b"] { try bench.build(field, in: quiet) }
        // Those have rested, and were hardly used.
        bench.wait(3_600)
        for number in 0..<50 {
            try bench.build("f\(number)")
            try bench.use("f\(number)")
            bench.wait(60)
        }
        #expect(bench.fields(.ready, in: quiet) == ["a", "b"])
        // What the quiet one does not claim is the busy one's.
        #expect(bench.fields(.ready).count == 6)
    }

    @Test func `An index that grows takes no room of a database within its share`() throws {
        let (bench, quiet) = try self.bench(places: 4)
        try bench.build("a", in: quiet)
        bench.wait(3_600)
        for field in ["x", "y"] {
            try bench.build(field)
            try bench.use(field)
        }
        for number in 3..<300 { try bench.write(number, textBytes: 100) }
        bench.buildAll()
        #expect(bench.fields(.ready, in: quiet) == ["a"])
        #expect(bench.fields(.doesNotFit) == ["x", "y"])
    }

    @Test func `A database that comes later gets its share from who has more, though that is in use`() throws {
        let (bench, quiet) = try self.bench(places: 8)
        for number in 0..<8 {
            try bench.build("f\(number)")
            try bench.use("f\(number)")
            bench.wait(1)
        }
        for number in 0..<6 {
            try bench.build("q\(number)", in: quiet)
            try bench.use("q\(number)", in: quiet)
        }
        #expect(bench.fields(.ready, in: quiet) == ["q0", "q1", "q2", "q3"])
        #expect(bench.fields(.doesNotFit, in: quiet) == ["q4", "q5"])
        #expect(bench.fields(.ready) == ["f4", "f5", "f6", "f7"])
        // What had to go is told, and does not come back at the other's cost.
        #expect(bench.fields(.doesNotFit) == ["f0", "f1", "f2", "f3"])
        bench.wait(599)
        for number in 0..<8 { try bench.use("q\(number)", in: quiet) }
        for number in 4..<8 { try bench.use("f\(number)") }
        bench.wait(1)
        for number in 0..<4 { try bench.build("f\(number)") }
        #expect(bench.fields(.ready).count == 4 && bench.fields(.ready, in: quiet).count == 4)
    }

    @Test func `Databases take turns to have their indexes built`() throws {
        let (bench, quiet) = try self.bench(places: 8)
        for number in 0..<5 { try bench.request("f\(number)") }
        for number in 0..<2 { try bench.request("q\(number)", in: quiet) }
        var order: [String] = []
        repeat {
            let ready = bench.fields(.ready) + bench.fields(.ready, in: quiet)
            order += ready.filter { !order.contains($0) }
        } while bench.store.indexStep()
        #expect(order == ["f0", "q0", "f1", "q1", "f2", "f3", "f4"])
    }

    /// Random databases ask for, use and grow indexes.
    @Test(arguments: 0..<16 as Range<UInt64>)
    func `Whatever others do, a database keeps what is within its share`(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let bench = try IndexFixture(documents: 0) {
            $0.indexBytesMin = 2_000
            $0.indexBytesMax = 40_000
        }
        let databases = try (0..<4).map { bench.store.database(try databaseName("d\($0)")) }
        for step in 0..<200 {
            let costs = databases.map { bench.cost(of: $0) }
            let ready = databases.map { bench.fields(.ready, in: $0) }
            let number = Int.random(in: 0..<databases.count, using: &random)
            let database = databases[number]
            let field = ["x", "y", "z", "members.u\(step)"][Int.random(in: 0..<4, using: &random)]
            switch Int.random(in: 0..<8, using: &random) {
            case 0..<2: try bench.write(step, textBytes: Int.random(in: 0..<500, using: &random), in: database)
            case 2..<4: try bench.use(field, in: database, times: Int.random(in: 0..<4, using: &random))
            case 4: bench.wait(Int64.random(in: 0..<400, using: &random))
            default: try bench.request(field, in: database)
            }
            bench.buildAll()
            #expect(bench.store.indexRegistry.total.cost <= 40_000)
            #expect(bench.store.indexes().allSatisfy { $0.state == .ready || $0.state == .doesNotFit })
            let holders = costs.indices.filter { costs[$0] > 0 || $0 == number }
            for other in holders where other != number && costs[other] <= 40_000 / holders.count {
                #expect(bench.fields(.ready, in: databases[other]) == ready[other])
            }
        }
    }
}
