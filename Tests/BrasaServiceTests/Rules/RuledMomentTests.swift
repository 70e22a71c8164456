import BrasaDocuments
import BrasaGRPC
import BrasaIdentity
import BrasaMessages
import BrasaQueries
import BrasaSimulation
import BrasaStatus
import BrasaStore
import BrasaTransactions
import BrasaWire
import NIOEmbedded
import Testing

@testable import BrasaService

/// Which states a read is judged by, and when.
@Suite struct RuledMomentTests {
    private static let rules = """
        match /notes/{id} {
          allow get: if resource == null || resource.data.owner == request.auth.uid;
          allow list: if exists(/databases/$(database)/documents/members/$(request.auth.uid));
        }
        """

    private static func ruled() throws -> RuledService {
        let ruled = try RuledService(Self.rules)
        try ruled.store([try Self.note("a", "ann"), try Self.note("b", "bob"), ("members/ann", [])])
        ruled.caller = user("ann")
        return ruled
    }

    private static func note(_ id: String, _ owner: String) throws -> (String, [(String, Value)]) {
        ("notes/\(id)", [("owner", .string(UTF8Text(owner)))])
    }

    private typealias Read = (RuledService, ReadConsistency, _ path: String) throws -> GRPCStatus?

    private static func batch(
        _ ruled: RuledService,
        _ consistency: ReadConsistency,
        _ paths: [String]
    ) throws -> GRPCStatus? {
        let request = BatchGetDocumentsRequest(
            database: ServiceUnderTest.database,
            documents: try paths.map { try name($0) },
            consistency: consistency
        )
        let stream: ServiceUnderTest.Stream<BatchGetDocumentsResponse> = try ruled.service.stream {
            $0.batchGetDocuments(request, received: $1, finished: $2)
        }
        return stream.status
    }

    private static func list(_ ruled: RuledService, _ consistency: ReadConsistency) throws -> GRPCStatus? {
        let query = StructuredQuery(from: [.init(collectionID: "notes")])
        return try ruled.service.query(
            RunQueryRequest(parent: try parent(), query: query, consistency: consistency)
        ).status
    }

    @Test func `The past shows nothing that was not allowed then, or is not now`() throws {
        let ruled = try Self.ruled()
        defer { ruled.close() }
        let before = ReadConsistency.readTime(ReadTime(ruled.service.engine.store.strongReadTime()))
        let reads: [Read] = [
            { try $0.service.get($2, $1).status },
            { try Self.batch($0, $1, [$2]) },
        ]
        for read in reads { #expect(try read(ruled, before, "notes/a") == .ok) }
        #expect(try Self.list(ruled, before) == .ok)
        try ruled.service.advance(microseconds: 2_000)
        try ruled.store([try Self.note("a", "bob"), try Self.note("b", "ann")])
        ruled.caller = .administrator
        try ruled.service.commit([Write(name: try name("members/ann"), operation: .delete)])
        ruled.caller = user("ann")
        for read in reads {
            #expect(try read(ruled, before, "notes/a") == .denied)
            #expect(try read(ruled, before, "notes/b") == .denied)
            #expect(try read(ruled, .strong, "notes/b") == .ok)
        }
        #expect(try Self.list(ruled, before) == .denied)
    }

    @Test func `A read that is given up while it is judged keeps nobody from writing`() throws {
        let ruled = try Self.ruled()
        defer { ruled.close() }
        let transaction = try ruled.service.begin()
        let names = try (0..<200).map { try name("notes/none\($0)") } + [try name("notes/b")]
        let request = BatchGetDocumentsRequest(
            database: ServiceUnderTest.database,
            documents: names,
            consistency: .transaction(transaction)
        )
        let call = ruled.service.stub.batchGetDocuments(request, received: { _ in }, finished: { _ in })
        ruled.service.loop.run()
        // Its first turn is over with this.
        try ruled.service.carryToServer()
        call.cancel()
        try ruled.service.runArriving()
        ruled.caller = .administrator
        let writes = names.map { Write(name: $0, operation: .set(fields([("n", .integer(1))]))) }
        #expect(try ruled.service.tryCommit(writes).status == .ok)
    }

    @Test func `What may not be read in a transaction is not waited for either`() throws {
        let ruled = try Self.ruled()
        defer { ruled.close() }
        ruled.caller = .administrator
        let holder = try ruled.service.begin()
        _ = try ruled.service.get("notes/b", .transaction(holder))
        ruled.caller = user("ann")
        let reads: [Read] = [
            { try $0.service.get($2, $1).status },
            { try Self.batch($0, $1, [$2]) },
        ]
        for read in reads {
            let transaction = try ruled.service.begin()
            #expect(try read(ruled, .transaction(transaction), "notes/b") == .denied)
        }
        #expect(ruled.service.engine.transactions.statistics.openTransactions == 1)
    }

    @Test func `Many documents are judged in turns, and nothing of the past is kept for longer`() throws {
        let ruled = try Self.ruled()
        defer { ruled.close() }
        let count = 200
        let request = BatchGetDocumentsRequest(
            database: ServiceUnderTest.database,
            documents: try (0..<count).map { try name("notes/none\($0)") }
        )
        var received = 0
        _ = ruled.service.stub.batchGetDocuments(request, received: { _ in received += 1 }, finished: { _ in })
        #expect(try ruled.service.countTurns() >= 3)
        try ruled.service.run()
        #expect(received == count)
        #expect(ruled.service.engine.store.statistics.snapshotPins == 0)
    }
}
