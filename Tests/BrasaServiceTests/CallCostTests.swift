import BrasaDocuments
import BrasaGRPC
import BrasaLog
import BrasaMessages
import BrasaQueries
import BrasaSimulation
import BrasaStore
import BrasaWire
import CBrasaAllocations
import NIOCore
import NIOEmbedded
import Testing

/// What a whole call takes of the server, from the bytes that come to those that leave, does not depend on the machine's
/// mood, so it has a bound. These are the numbers of a build without optimisation, as the suite has it;
/// docs/performance.md has those of a release build, and `Benchmarks/call-cost` counts them.
@Suite("A call allocates little", .enabled(if: brasa_allocations_are_counted()))
struct CallCostTests {
    static let inFlight = 10
    static let rounds = 20

    private static func service() throws -> ServiceUnderTest {
        var store = SimulatedServer.smallStore
        // The simulated disk's own allocations are none of a call's.
        store.log.durability = .memory
        let service = try ServiceUnderTest(store: store)
        try service.commit(
            try (0..<100).map { number in
                try set("c/\(number)", [("kind", .integer(Int64(number % 4))), ("number", .integer(Int64(number)))])
            }
        )
        return service
    }

    /// Allocations for each call, once everything that is used again is there.
    static func cost(
        on service: ServiceUnderTest,
        _ call: (_ number: Int, _ done: @escaping (Bool) -> Void) throws -> Void
    ) throws -> Double {
        var (allocations, successes) = (0, 0)
        for round in -5..<Self.rounds {
            for position in 0..<Self.inFlight {
                try call((round + 5) * Self.inFlight + position) { successes += $0 ? 1 : 0 }
            }
            let count = try service.countAllocations()
            if round >= 0 { allocations += count }
        }
        #expect(successes == (Self.rounds + 5) * Self.inFlight)
        return Double(allocations) / Double(Self.rounds * Self.inFlight)
    }

    @Test func `GetDocument`() throws {
        let service = try Self.service()
        defer { service.close() }
        let names = try (0..<100).map { try name("c/\($0)") }
        let cost = try Self.cost(on: service) { number, done in
            service.stub.getDocument(GetDocumentRequest(name: names[number % 100])) { result in
                done((try? result.get().document) != nil)
            }
        }
        #expect(cost <= 5, "\(cost)")
    }

    @Test func `Commit of one write`() throws {
        let service = try Self.service()
        defer { service.close() }
        let cost = try Self.cost(on: service) { number, done in
            let write = try set("c/\(number % 100)", [("number", .integer(Int64(1_000 + number)))])
            service.stub.commit(CommitRequest(database: ServiceUnderTest.database, writes: [write])) { result in
                done((try? result.get().commitTime) != nil)
            }
        }
        #expect(cost <= 41, "\(cost)")
    }

    /// How a query differs from those before it.
    enum Difference: Sendable {
        case none, values, more
    }

    @Test(arguments: [(Difference.none, 110.0), (.values, 175), (.more, 260)])
    func `A query of 20 documents`(difference: Difference, bound: Double) throws {
        let service = try Self.service()
        defer { service.close() }
        let number = try FieldPath(names: ["number"])
        let ofKind = StructuredQuery.Filter.field(try FieldPath(names: ["kind"]), .equal, .integer(1))
        var query = StructuredQuery(from: [.init(collectionID: "c", allDescendants: false)], filter: ofKind)
        query.orderBy = [.init(field: number, direction: .ascending)]
        query.limit = 20
        let request = RunQueryRequest(parent: try parent(), query: query)
        _ = try service.query(request)
        try service.buildIndexes()
        let cost = try Self.cost(on: service) { call, done in
            var documents = 0
            var request = request
            if difference != .none {
                let range = StructuredQuery.Filter.field(number, .greaterThanOrEqual, .integer(Int64(-call)))
                request.query?.filter = .composite(.and, [ofKind, range])
            }
            if difference == .more {
                request.query?.endAt = .init(values: [.integer(Int64(1_000 + call))], before: false)
            }
            service.stub.runQuery(request, received: { documents += $0.document == nil ? 0 : 1 }) { result in
                done(result.status.isOK && documents == 20)
            }
        }
        #expect(cost <= bound, "\(cost)")
    }
}

extension ServiceUnderTest {
    /// Carries bytes in both directions until nothing moves; what is allocated meanwhile on the server's side.
    func countAllocations() throws -> Int {
        var (allocations, moved) = (0, true)
        while moved {
            self.loop.run()
            let requests = try Self.read(self.client)
            brasa_allocations_begin()
            if requests.readableBytes > 0 {
                self.server.pipeline.fireChannelRead(requests)
                self.server.pipeline.fireChannelReadComplete()
            }
            while self.engine.store.step() {}
            self.loop.run()
            allocations += brasa_allocations_end()
            let responses = try Self.read(self.server)
            moved = requests.readableBytes + responses.readableBytes > 0
            if responses.readableBytes > 0 { try self.client.writeInbound(responses) }
        }
        return allocations
    }

    /// All in one buffer, as a socket's read is.
    private static func read(_ channel: EmbeddedChannel) throws -> ByteBuffer {
        var bytes = ByteBuffer()
        while var part = try channel.readOutbound(as: ByteBuffer.self) { bytes.writeBuffer(&part) }
        return bytes
    }
}
