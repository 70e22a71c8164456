import BrasaDocuments
import BrasaGRPC
import BrasaMessages
import BrasaQueries
import BrasaSimulation
import BrasaStatus
import BrasaWire
import Testing

@testable import BrasaService
@testable import BrasaStore

@Suite struct LargeResultTests {
    private static let window = 16 << 10

    private func commit(_ service: ServiceUnderTest, _ count: Int, bytes: Int) throws {
        let text = Value.string(UTF8Text(String(repeating: "x", count: bytes)))
        for start in stride(from: 0, to: count, by: 10) {
            try service.commit(
                (start..<(start + 10)).map {
                    try set("c/\(10_000 + $0)", [("n", .integer(Int64($0))), ("t", text)])
                }
            )
        }
    }

    private func start(
        _ service: ServiceUnderTest,
        _ query: StructuredQuery,
        received: @escaping (RunQueryResponse) -> Void,
        finished: @escaping (GRPCCallResult) -> Void
    ) throws -> GRPCClientCall {
        let request = RunQueryRequest(parent: try parent(), query: query)
        return service.stub.runQuery(request, received: received, finished: finished)
    }

    private static var query: StructuredQuery { StructuredQuery(from: [.init(collectionID: "c")]) }

    @Test func `Results are made as the client takes them`() throws {
        let service = try ServiceUnderTest(window: Self.window)
        defer { service.close() }
        try self.commit(service, 400, bytes: 2_000)
        var count = 0
        var status: GRPCStatus?
        _ = try self.start(service, Self.query, received: { _ in count += 1 }, finished: { status = $0.status })
        // With no more than a few windows' worth on its way, the rest is not even read.
        var bytesMax = 0
        while status == nil {
            bytesMax = max(bytesMax, try service.runOnce())
        }
        #expect(count == 400 && status == .ok)
        #expect(bytesMax < 20 * Self.window)
    }

    @Test func `A cancelled query lets go of its snapshot at once`() throws {
        let service = try ServiceUnderTest(window: Self.window)
        defer { service.close() }
        try self.commit(service, 400, bytes: 2_000)
        let history = service.engine.store.database(ServiceUnderTest.database).history
        #expect(history.pinCount == 0)
        var call: GRPCClientCall?
        var count = 0
        var status: GRPCStatus?
        call = try self.start(
            service,
            Self.query,
            received: { _ in
                count += 1
                if count == 5 { call?.cancel() }
            },
            finished: { status = $0.status }
        )
        while status == nil { _ = try service.runOnce() }
        try service.run()
        #expect(status?.code == .cancelled && count < 400)
        #expect(history.pinCount == 0)
    }

    @Test func `A query that finds nothing for long stops when its client is gone`() throws {
        var store = SimulatedServer.smallStore
        store.queryStepMax = 1
        let service = try ServiceUnderTest(store: store)
        defer { service.close() }
        try self.commit(service, 500, bytes: 1)
        let path = try FieldPath(parsing: "n".utf8)
        var query = Self.query
        query.filter = .field(path, .equal, .string("nothing"))
        for leavesAt in [nil, 10] as [Int?] {
            var status: GRPCStatus?
            let call = try self.start(service, query, received: { _ in }, finished: { status = $0.status })
            let turns = try service.countTurns { turn in
                if turn == leavesAt { call.cancel() }
            }
            try service.run()
            #expect(status?.code == (leavesAt == nil ? .ok : .cancelled))
            if let leavesAt { #expect(turns <= leavesAt + 3) } else { #expect(turns >= 400) }
        }
    }

    @Test func `A client that takes everything at once leaves turns to others`() throws {
        let service = try ServiceUnderTest(window: 8 << 20)
        defer { service.close() }
        try self.commit(service, 2_000, bytes: 400)
        var (count, status) = (0, nil as GRPCStatus?)
        _ = try self.start(service, Self.query, received: { _ in count += 1 }, finished: { status = $0.status })
        #expect(try service.countTurns() >= 5)
        try service.run()
        #expect(count == 2_000 && status == .ok)
    }

    @Test func `One snapshot is seen throughout, whatever is written meanwhile`() throws {
        let service = try ServiceUnderTest(window: Self.window)
        defer { service.close() }
        try self.commit(service, 300, bytes: 1_000)
        let path = try FieldPath(parsing: "n".utf8)
        var query = Self.query
        query.orderBy = [.init(field: path, direction: .descending)]
        var numbers: [Int64] = []
        var status: GRPCStatus?
        _ = try self.start(
            service,
            query,
            received: { response in
                guard case .integer(let number)? = response.document?.document?.fields.value(at: path) else { return }
                numbers.append(number)
            },
            finished: { status = $0.status }
        )
        var step = 0
        while status == nil {
            _ = try service.runOnce()
            step += 1
            guard step.isMultiple(of: 50), step < 1_000 else { continue }
            try service.begin(write: try set("c/\(10_000 + step / 50)", [("n", .integer(-1))]))
        }
        #expect(numbers == (0..<300).reversed().map { Int64($0) })
    }
}
