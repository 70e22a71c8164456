import BrasaDocuments
import BrasaGRPC
import BrasaHTTP2
import BrasaMessages
import BrasaStatus
import BrasaWire
import NIOCore
import Testing

@testable import BrasaService

@Suite struct StreamingTests {
    private func batchGet(
        _ service: ServiceUnderTest,
        _ paths: [String],
        _ consistency: ReadConsistency = .strong
    ) throws -> ServiceUnderTest.Stream<BatchGetDocumentsResponse> {
        let request = BatchGetDocumentsRequest(
            database: ServiceUnderTest.database,
            documents: try paths.map(name),
            consistency: consistency
        )
        return try service.stream { stub, received, finished in
            stub.batchGetDocuments(request, received: received, finished: finished)
        }
    }

    private func text(_ response: BatchGetDocumentsResponse) -> String {
        switch response.result {
        case .found(let document): "found " + document.name.path.string
        case .missing(let name): "missing " + name.path.string
        case nil: "nothing"
        }
    }

    @Test func `Each distinct name is answered once, in order, at one read time`() throws {
        let service = try ServiceUnderTest()
        defer { service.close() }
        try service.commit([try set("c/a"), try set("c/b")])
        let stream = try self.batchGet(service, ["c/b", "c/x", "c/a", "c/b", "c/x"])
        #expect(stream.messages.map(self.text) == ["found c/b", "missing c/x", "found c/a"])
        #expect(Set(stream.messages.map(\.readTime)).count == 1 && stream.messages[0].readTime != nil)
        #expect(stream.status == .ok)
    }

    @Test func `No names, no messages`() throws {
        let service = try ServiceUnderTest()
        defer { service.close() }
        let stream = try self.batchGet(service, [])
        #expect(stream.messages.isEmpty && stream.status == .ok)
    }

    @Test func `A new transaction is told alone, and first, and holds what was read`() throws {
        let service = try ServiceUnderTest()
        defer { service.close() }
        try service.commit([try set("c/a")])
        let stream = try self.batchGet(service, ["c/a"], .newTransaction(.readWrite(retry: [])))
        #expect(stream.messages.map(self.text) == ["nothing", "found c/a"])
        #expect(stream.messages[0].readTime == nil && !stream.messages[0].transaction.isEmpty)
        let write = try service.tryCommit([try set("c/a", [("n", .null)])])
        #expect(write.results.isEmpty)
        try service.commit([], transaction: stream.messages[0].transaction)
        #expect(write.status == .ok)
    }

    @Test func `Answers are made as the client takes them, from one snapshot however long that takes`() throws {
        let service = try ServiceUnderTest(window: 16 << 10)
        defer { service.close() }
        let text = Value.string(UTF8Text(String(repeating: "x", count: 10_000)))
        let paths = (0..<40).map { "c/\(10 + $0)" }
        try service.commit(paths.map { try set($0, [("t", text)]) })
        let stream = try self.batchGet(service, paths)
        #expect(stream.messages.count == 40 && stream.status == .ok)
        #expect(Set(stream.messages.map(\.readTime)).count == 1)
    }

    @Test func `A cancelled stream makes nothing more`() throws {
        let service = try ServiceUnderTest()
        defer { service.close() }
        try service.commit([try set("c/a")])
        let transaction = try service.begin()
        _ = try self.batchGet(service, ["c/a"], .transaction(transaction))
        // A later writer waits, and behind it a later reader.
        let writer = try service.tryCommit([try set("c/a", [("n", .null)])])
        let reader = try self.batchGet(service, ["c/a"], .newTransaction(.readWrite(retry: [])))
        #expect(reader.messages.count == 1 && reader.status == nil)
        reader.call?.cancel()
        try service.commit([], transaction: transaction)
        try service.run()
        #expect(writer.status == .ok)
        #expect(reader.messages.count == 1 && reader.status?.code == .cancelled)
    }
}

@Suite struct CommitCallTests {
    @Test func `Results stand in the order of the writes`() throws {
        let service = try ServiceUnderTest()
        defer { service.close() }
        try service.commit([try set("c/gone")])
        let increment = FieldTransform(path: try FieldPath(parsing: "n".utf8), operation: .increment(.integer(2)))
        let commit = try service.commit([
            Write(name: try name("c/a"), operation: .set(.empty), transforms: [increment]),
            Write(name: try name("c/gone"), operation: .delete),
        ])
        #expect(commit.writeResults.count == 2)
        #expect(commit.writeResults[0].updateTime == commit.commitTime)
        #expect(commit.writeResults[1].updateTime == nil)
        let results = try commit.writeResults[0].transformResults()
        guard case .integer(2) = try #require(results.first) else { return #expect(Bool(false)) }
    }

    @Test func `A batch fails write by write`() throws {
        let service = try ServiceUnderTest()
        defer { service.close() }
        let request = BatchWriteRequest(
            database: ServiceUnderTest.database,
            writes: [
                try set("c/a"),
                Write(name: try name("c/b"), operation: .delete, precondition: .exists(true)),
                try set("c/d"),
            ]
        )
        let response = try service.answer { $0.batchWrite(request, completion: $1) }.get()
        #expect(response.statuses.map(\.code) == [.ok, .notFound, .ok])
        #expect(response.writeResults.map { $0.updateTime == nil } == [false, true, false])
    }

    @Test func `Rolling back is fine twice, and of nonsense is not`() throws {
        let service = try ServiceUnderTest()
        defer { service.close() }
        let transaction = try service.begin()
        for (bytes, expected) in [
            (transaction, StatusCode.ok), (transaction, .ok), ([], .invalidArgument), ([1, 2], .invalidArgument),
        ] {
            let answer: ServiceUnderTest.Answer<EmptyResponse> = try service.answer {
                $0.rollback(
                    RollbackRequest(database: ServiceUnderTest.database, transaction: bytes),
                    completion: $1
                )
            }
            #expect(answer.status?.code == expected)
        }
    }

    @Test func `A retry of bytes that are no transaction is refused`() throws {
        let service = try ServiceUnderTest()
        defer { service.close() }
        #expect(throws: GRPCStatus(.invalidArgument, "Invalid transaction.")) {
            try service.begin(.readWrite(retry: [1, 2, 3]))
        }
    }

    @Test func `Methods that are not built are UNIMPLEMENTED`() throws {
        let service = try ServiceUnderTest()
        defer { service.close() }
        let stream: ServiceUnderTest.Stream<UntypedMessage> = try service.stream { stub, received, finished in
            stub.executePipeline(UntypedMessage(bytes: ByteBuffer()), received: received, finished: finished)
        }
        #expect(stream.status?.code == .unimplemented)
    }

    @Test func `Clearing deletes one database, whatever a transaction still holds`() throws {
        let service = try ServiceUnderTest()
        defer { service.close() }
        let other = try DatabaseName(parsing: "projects/p/databases/other".utf8)
        let kept = try DocumentName(parsing: "projects/p/databases/other/documents/c/x".utf8)
        try service.commit((0..<700).map { try set("c/\($0)/d/x") })
        let elsewhere: ServiceUnderTest.Answer<CommitResponse> = try service.answer {
            $0.commit(
                CommitRequest(database: other, writes: [Write(name: kept, operation: .set(.empty))]),
                completion: $1
            )
        }
        #expect(elsewhere.status == .ok)
        let transaction = try service.begin()
        #expect(try service.get("c/1/d/x", .transaction(transaction)).status == .ok)

        let cleared = Box<[Status?]>([])
        service.service.clear(ServiceUnderTest.database) { cleared.value.append($0) }
        try service.run()
        #expect(cleared.value == [nil])
        #expect(try service.get("c/1/d/x").status?.code == .notFound)
        let request = ListCollectionIdsRequest(parent: try parent())
        let ids = try service.answer { $0.listCollectionIds(request, completion: $1) }.get()
        #expect(ids.collectionIDs == [])
        let read: ServiceUnderTest.Answer<NamedDocument> = try service.answer {
            $0.getDocument(GetDocumentRequest(name: kept), completion: $1)
        }
        #expect(read.status == .ok)
    }
}

/// Unchecked: tests stay on one thread.
final class Box<Value>: @unchecked Sendable {
    var value: Value

    init(_ value: Value) {
        self.value = value
    }
}
