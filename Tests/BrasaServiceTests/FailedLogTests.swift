import BrasaDocuments
import BrasaGRPC
import BrasaGRPCDoor
import BrasaMessages
import BrasaQueries
import BrasaSimulation
import BrasaStatus
import BrasaWire
import Testing

@testable import BrasaService

@Suite struct FailedLogTests {
    @Test func `A rollback after a commit that a failed sync left in the dark does not say that it was committed`()
        throws
    {
        let disk = SimulatedDisk(seed: 1)
        let service = try ServiceUnderTest(disk: disk)
        defer { service.close() }
        func rollback(_ id: [UInt8]) throws -> StatusCode? {
            let request = RollbackRequest(database: ServiceUnderTest.database, transaction: id)
            let answer: ServiceUnderTest.Answer<EmptyResponse> = try service.answer {
                $0.rollback(request, completion: $1)
            }
            return answer.status?.code
        }
        let durable = try service.begin()
        try service.commit([try set("c/a")], transaction: durable)
        #expect(try rollback(durable) == .aborted)
        let lost = try service.begin()
        disk.faults = SimulatedFaults(failedSyncs: 1_000)
        #expect(throws: GRPCStatus.self) { try service.commit([try set("c/b")], transaction: lost) }
        #expect(try rollback(lost) == .unavailable)
    }

    @Test(arguments: Way.allCases)
    func `A write that a failed sync left in the dark is DATA_LOSS, one that comes after it UNAVAILABLE`(_ way: Way)
        throws
    {
        let disk = SimulatedDisk(seed: 1)
        let service = try ServiceUnderTest(disk: disk)
        defer { service.close() }
        try service.commit([try set("c/a", [("n", .integer(1))])])
        disk.faults = SimulatedFaults(failedSyncs: 1_000)
        #expect(try way.write("c/a", to: service)?.code == .dataLoss)
        #expect(try way.write("c/a", to: service)?.code == .unavailable)
    }

    /// The methods that write.
    enum Way: CaseIterable {
        case commit, transaction, batchWrite, updateDocument, createDocument, deleteDocument, writeStream

        func write(_ path: String, to service: ServiceUnderTest) throws -> GRPCStatus? {
            let document = fields([("n", .integer(2))])
            let write = try set(path, [("n", .integer(2))])
            switch self {
            case .commit: return try service.tryCommit([write]).status
            case .transaction:
                let id = try service.begin()
                return try service.answer { (stub, done: @escaping (Result<CommitResponse, GRPCCallResult>) -> Void) in
                    let request = CommitRequest(database: ServiceUnderTest.database, writes: [write], transaction: id)
                    return stub.commit(request, completion: done)
                }.status
            case .batchWrite:
                let request = BatchWriteRequest(database: ServiceUnderTest.database, writes: [write])
                let answer: ServiceUnderTest.Answer<BatchWriteResponse> = try service.answer {
                    $0.batchWrite(request, completion: $1)
                }
                return try answer.status == .ok ? answer.get().statuses.first.map { GRPCStatus($0) } : answer.status
            case .updateDocument:
                let request = UpdateDocumentRequest(write: write)
                let answer: ServiceUnderTest.Answer<NamedDocument> = try service.answer {
                    $0.updateDocument(request, completion: $1)
                }
                return answer.status
            case .createDocument:
                let request = CreateDocumentRequest(parent: try parent(), collectionID: "c", fields: document)
                let answer: ServiceUnderTest.Answer<NamedDocument> = try service.answer {
                    $0.createDocument(request, completion: $1)
                }
                return answer.status
            case .deleteDocument:
                let request = DeleteDocumentRequest(name: try name(path))
                let answer: ServiceUnderTest.Answer<EmptyResponse> = try service.answer {
                    $0.deleteDocument(request, completion: $1)
                }
                return answer.status
            case .writeStream:
                let writing = Writing(service)
                try writing.shakeHands()
                writing.send([write])
                try service.run()
                return writing.status
            }
        }
    }

    @Test func `After a failed sync commits are UNAVAILABLE and reads go on, without what was not acknowledged`() throws
    {
        let disk = SimulatedDisk(seed: 1)
        let service = try ServiceUnderTest(disk: disk)
        defer { service.close() }
        try service.commit([try set("c/a", [("n", .integer(1))])])
        disk.faults = SimulatedFaults(failedSyncs: 1_000)
        for _ in 0..<2 {
            #expect(throws: GRPCStatus.self) { try service.commit([try set("c/a", [("n", .integer(2))])]) }
        }
        disk.faults = SimulatedFaults()
        do {
            try service.commit([try set("c/b")])
            #expect(Bool(false), "a commit got through")
        } catch let status as GRPCStatus {
            #expect(status.code == .unavailable)
        }
        #expect(try service.get("c/a").get().document?.fields == fields([("n", .integer(1))]))
        #expect(try service.get("c/b").status?.code == .notFound)
        let query = StructuredQuery(from: [.init(collectionID: "c")])
        let stream = try service.query(RunQueryRequest(parent: try parent(), query: query))
        #expect(stream.messages.compactMap(\.document).paths == ["c/a"])
    }
}
