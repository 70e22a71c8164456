import BrasaDocuments
import BrasaGRPC
import BrasaMessages
import BrasaQueries
import BrasaSimulation
import BrasaStatus
import BrasaStore
import BrasaWire
import Testing

@testable import BrasaService

/// A client that does not read its answers, and requests that are larger than their methods need.
@Suite struct RoomTests {
    private static let large = fields([("a", .string(UTF8Text(String(repeating: "x", count: 100_000))))])

    /// A service whose client takes a thousand bytes of an answer, with one document of 100 KB.
    private func service() throws -> ServiceUnderTest {
        let service = try ServiceUnderTest(window: 1000, unreadBytesMax: 150_000)
        try service.commit([Write(name: try name("c/x"), operation: .set(Self.large))])
        return service
    }

    private func reading(_ service: ServiceUnderTest, _ consistency: ReadConsistency = .strong) throws
        -> ServiceUnderTest.Answer<NamedDocument>
    {
        let request = GetDocumentRequest(name: try name("c/x"), consistency: consistency)
        let answer: ServiceUnderTest.Answer<NamedDocument> = try service.start {
            $0.getDocument(request, completion: $1)
        }
        try service.carryToServer()
        return answer
    }

    @Test func `Reads that waited for their time are answered while there is room`() throws {
        let service = try self.service()
        defer { service.close() }
        service.isClientReading = false
        let ahead = Timestamp(microseconds: service.engine.store.strongReadTime().microseconds + 300_000)
        let answers = try (0..<20).map { _ in try self.reading(service, .readTime(ReadTime(ahead))) }
        try service.advance(microseconds: 400_000)
        service.isClientReading = true
        try service.run()
        #expect(answers.filter { $0.status == .ok }.count == 1)
        #expect(answers.filter { $0.status?.code == .resourceExhausted }.count == 19)
    }

    @Test func `A commit that finds no room is not carried out, and a begin that waited does not begin`() throws {
        let service = try self.service()
        defer { service.close() }
        service.isClientReading = false
        let ahead = Timestamp(microseconds: service.engine.store.strongReadTime().microseconds + 300_000)
        let begin = BeginTransactionRequest(
            database: ServiceUnderTest.database,
            options: .readOnly(readTime: ReadTime(ahead))
        )
        let begun: ServiceUnderTest.Answer<BeginTransactionResponse> = try service.start {
            $0.beginTransaction(begin, completion: $1)
        }
        // The second answer is larger than what may wait besides the first.
        let request = UpdateDocumentRequest(write: Write(name: try name("c/x"), operation: .set(Self.large)))
        for _ in 0..<2 {
            let _: ServiceUnderTest.Answer<NamedDocument> = try service.start {
                $0.updateDocument(request, completion: $1)
            }
        }
        try service.run()
        let committed = try service.tryCommit([try set("c/y")])
        try service.advance(microseconds: 400_000)
        let store = service.engine.store
        let database = store.database(ServiceUnderTest.database)
        #expect(try store.get(name("c/y").path, in: database, at: store.strongReadTime()) == nil)
        service.isClientReading = true
        try service.run()
        #expect(committed.status?.code == .resourceExhausted)
        #expect(begun.status?.code == .resourceExhausted)
    }

    @Test func `A request is no larger than its method needs`() throws {
        let service = try ServiceUnderTest()
        defer { service.close() }
        let path = try FieldPath(parsing: String(repeating: "f", count: 1000).utf8)
        #expect(try service.get("c/x", mask: Array(repeating: path, count: 250)).status?.code == .notFound)
        #expect(
            try service.get("c/x", mask: Array(repeating: path, count: 270)).status
                == GRPCStatus(.invalidArgument, "Request payload size exceeds the limit: 262144 bytes.")
        )
        let rolledBack: ServiceUnderTest.Answer<EmptyResponse> = try service.answer { stub, done in
            let transaction = [UInt8](repeating: 0, count: 40_000)
            let request = RollbackRequest(database: ServiceUnderTest.database, transaction: transaction)
            return stub.rollback(request, completion: done)
        }
        #expect(rolledBack.status?.message == "Request payload size exceeds the limit: 32768 bytes.")
    }

    @Test(arguments: [(2_090_000, false), (2_100_000, true)])
    func `A query is no larger than queries need`(_ count: Int, isTooLarge: Bool) throws {
        let service = try ServiceUnderTest()
        defer { service.close() }
        let query = StructuredQuery(from: [.init(collectionID: "c", allDescendants: true)])
        let transaction = ReadConsistency.transaction([UInt8](repeating: 0, count: count))
        let run = try service.query(RunQueryRequest(parent: parent(), query: query, consistency: transaction))
        let aggregated = try service.aggregate(
            RunAggregationQueryRequest(
                parent: parent(),
                query: StructuredAggregationQuery(query: query, aggregations: [.init(.count(upTo: nil))]),
                consistency: transaction
            )
        )
        let partition = PartitionQueryRequest(
            parent: try parent(),
            query: query,
            partitionCount: 2,
            pageToken: UTF8Text(String(repeating: "x", count: count)),
            pageSize: 0
        )
        let partitioned: ServiceUnderTest.Answer<PartitionQueryResponse> = try service.answer {
            $0.partitionQuery(partition, completion: $1)
        }
        for status in [run.status, aggregated.status, partitioned.status] {
            #expect(status?.isOK == false)
            #expect((status?.message == "Request payload size exceeds the limit: 2097152 bytes.") == isTooLarge)
        }
    }

    @Test func `A listener's request is no larger than the targets of its stream`() throws {
        let service = try ServiceUnderTest()
        defer { service.close() }
        let listening = Listening(service)
        listening.send([UInt8](repeating: 0, count: 4_300_000))
        #expect(try listening.take().isEmpty)
        #expect(
            listening.status == GRPCStatus(.invalidArgument, "Request payload size exceeds the limit: 4259840 bytes.")
        )
    }
}
