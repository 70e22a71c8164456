import BrasaDocuments
import BrasaGRPC
import BrasaHTTP2
import BrasaLog
import BrasaMessages
import BrasaQueries
import BrasaSimulation
import BrasaStatus
import BrasaStore
import BrasaTransactions
import BrasaWire
import Logging
import NIOCore
import Testing

@testable import BrasaServer

/// The server over real sockets, from the port to the store and back.
@Suite struct WholeServerTests {
    private static let databaseText = "projects/p/databases/(default)"

    private func database() throws -> DatabaseName { try DatabaseName(parsing: Self.databaseText.utf8) }

    private func name(_ path: String) throws -> DocumentName {
        try DocumentName(parsing: "\(Self.databaseText)/documents/\(path)".utf8)
    }

    private func set(_ path: String, _ number: Int64) throws -> Write {
        let fields = EncodedFields(encoding: [Value.MapEntry(key: "n", value: .integer(number))])
        return Write(name: try self.name(path), operation: .set(fields))
    }

    private func metrics(of server: RunningServer) async throws -> String {
        while true {
            let answer = try await server.exchange("GET /metrics HTTP/1.1\r\nconnection: close\r\n\r\n")
            if !answer.isEmpty { return answer }
        }
    }

    private func commit(_ client: Client, _ writes: [Write], _ transaction: [UInt8] = []) async throws -> CommitResponse
    {
        let request = CommitRequest(database: try self.database(), writes: writes, transaction: transaction)
        return try await client.unary { $0.commit(request, completion: $1) }
    }

    @Test func `Connections draw on the server's memory for them and give it back, and one too many is closed`()
        async throws
    {
        let lines = Recorded<String>()
        let server = try await RunningServer(
            RunningServer.configuration {
                $0.connectionsPerAddressMax = 2
                $0.connectionBytesMax = 1 << 20
            },
            logger: Logger(label: "test", factory: { _ in RecordingLogHandler(lines) })
        )
        let clients = [try await server.connect(), try await server.connect()]
        for client in clients { _ = try await self.commit(client, [self.set("c/a", 1)]) }
        #expect(server.services.budget.bytesMax == 1 << 20)
        #expect(server.services.budget.drawnBytes >= 2 * (16 << 10))
        let surplus = try await server.connect()
        try await surplus.channel.closeFuture.get()
        #expect(lines.list.filter { $0.contains("--connections-per-address") }.count == 1)
        try await clients[0].channel.close().get()
        let metrics = try await self.metrics(of: server)
        #expect(metrics.contains("brasa_connections_refused_total{reason=\"connections\"} 0\n"))
        // A place may be given back a moment after the connection has closed, and the one that asks be too early.
        #expect(metrics.contains(/brasa_connections_refused_total\{reason="address"\} [1-9]/))
        try await server.stop()
        #expect(server.services.budget.drawnBytes == 0)
    }

    @Test(arguments: [Durability.fsync, .os, .memory])
    func `Documents are written and read back by every reading call`(_ durability: Durability) async throws {
        let folder = try TemporaryFolder()
        let server = try await RunningServer(
            RunningServer.configuration {
                $0.durability = durability
                $0.dataDirectory = folder.path
            }
        )
        let client = try await server.connect()
        let committed = try await self.commit(client, [self.set("c/a", 1), self.set("c/b", 2)])
        #expect(committed.writeResults.count == 2)

        let database = try self.database()
        let (a, b, missing) = (try self.name("c/a"), try self.name("c/b"), try self.name("c/x"))
        let got: NamedDocument = try await client.unary { $0.getDocument(GetDocumentRequest(name: a), completion: $1) }
        #expect(got.document?.updateTime == committed.commitTime)
        let batch = try await client.stream {
            $0.batchGetDocuments(
                BatchGetDocumentsRequest(database: database, documents: [b, missing]),
                received: $1,
                finished: $2
            )
        }
        #expect(batch.count == 2)
        let parent = try ParentName(parsing: "\(Self.databaseText)/documents".utf8)
        let listed: ListDocumentsResponse = try await client.unary {
            $0.listDocuments(ListDocumentsRequest(parent: parent, collectionID: "c"), completion: $1)
        }
        #expect(listed.documents.map(\.name) == [a, b])
        let query = RunQueryRequest(parent: parent, query: StructuredQuery(from: [.init(collectionID: "c")]))
        let results = try await client.stream { $0.runQuery(query, received: $1, finished: $2) }
        #expect(results.compactMap(\.document).map(\.name) == [a, b])
        await #expect(throws: GRPCStatus.self) {
            let _: NamedDocument = try await client.unary {
                $0.getDocument(GetDocumentRequest(name: missing), completion: $1)
            }
        }
        try await server.stop()
    }

    @Test func `Transactions race on one document without losing a count`() async throws {
        let server = try await RunningServer()
        let setUp = try await server.connect()
        _ = try await self.commit(setUp, [self.set("c/counter", 0)])
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                let client = try await server.connect()
                group.addTask { for _ in 0..<10 { try await self.increment(client) } }
            }
            try await group.waitForAll()
        }
        let counter = try self.name("c/counter")
        let total: NamedDocument = try await setUp.unary {
            $0.getDocument(GetDocumentRequest(name: counter), completion: $1)
        }
        guard case .integer(40)? = total.document?.fields.value(at: try FieldPath(parsing: "n".utf8)) else {
            return #expect(Bool(false), "not 40")
        }
        try await server.stop()
    }

    /// Reads and writes in a transaction, again until it succeeds.
    private func increment(_ client: Client) async throws {
        let counter = try self.name("c/counter")
        let database = try self.database()
        var retry: [UInt8] = []
        while true {
            let options = TransactionOptions.readWrite(retry: retry)
            let begin = BeginTransactionRequest(database: database, options: options)
            let begun: BeginTransactionResponse = try await client.unary { $0.beginTransaction(begin, completion: $1) }
            retry = begun.transaction
            do {
                let get = GetDocumentRequest(name: counter, consistency: .transaction(begun.transaction))
                let read: NamedDocument = try await client.unary { $0.getDocument(get, completion: $1) }
                let value = read.document?.fields.value(at: try FieldPath(parsing: "n".utf8))
                guard case .integer(let number)? = value else { throw GRPCStatus(.internal, "no number") }
                _ = try await self.commit(client, [self.set("c/counter", number + 1)], begun.transaction)
                return
            } catch let status as GRPCStatus where status.code == .aborted {
                continue
            }
        }
    }

    @Test func `Health and reflection answer beside the service`() async throws {
        let server = try await RunningServer()
        let client = try await server.connect()
        #expect(try await client.raw(HealthMethods.check, []) == [8, 1])
        server.services.announceShutdown()
        #expect(try await client.raw(HealthMethods.check, []) == [8, 2])
        for version in ["v1", "v1alpha"] {
            let method = GRPCMethodDescriptor(
                service: "grpc.reflection.\(version).ServerReflection",
                method: "ServerReflectionInfo",
                kind: .unary
            )
            // list_services
            let answer = try await client.raw(method, [0x3A, 0])
            #expect(String(decoding: answer, as: UTF8.self).contains("google.firestore.v1.Firestore"))
        }
        try await server.stop()
    }

    @Test func `What was committed is there after a restart`() async throws {
        let folder = try TemporaryFolder()
        let configuration = RunningServer.configuration {
            $0.durability = .fsync
            $0.dataDirectory = folder.path
        }
        let first = try await RunningServer(configuration)
        let committed = try await self.commit(first.connect(), [self.set("c/a", 1)])
        try await first.stop()

        let second = try await RunningServer(configuration)
        let document = try self.name("c/a")
        let read: NamedDocument = try await second.connect().unary {
            $0.getDocument(GetDocumentRequest(name: document), completion: $1)
        }
        #expect(read.document?.updateTime == committed.commitTime)
        try await second.stop()
    }

    // MARK: The end

    @Test func `A call in flight finishes while the server drains, and new connections are refused`() async throws {
        let server = try await RunningServer()
        let client = try await server.connect()
        _ = try await self.commit(client, [self.set("c/a", 1)])
        let begin = BeginTransactionRequest(database: try self.database())
        let begun: BeginTransactionResponse = try await client.unary { $0.beginTransaction(begin, completion: $1) }
        let get = GetDocumentRequest(name: try self.name("c/a"), consistency: .transaction(begun.transaction))
        let _: NamedDocument = try await client.unary { $0.getDocument(get, completion: $1) }

        // Waits for the transaction's lock.
        let other = try await server.connect()
        let request = CommitRequest(database: try self.database(), writes: [try self.set("c/a", 2)])
        let waiting: EventLoopFuture<CommitResponse> = other.start { $0.commit(request, completion: $1) }
        // A later call on the same connection is answered, so the commit has reached the server.
        #expect(try await other.raw(HealthMethods.check, []) == [8, 1])

        let drained = Task { await server.listener.drain(grace: .seconds(60)) }
        try await client.channel.closeFuture.get()
        let transaction = try #require(TransactionID(bytes: begun.transaction))
        server.engine.transactions.rollback(
            transaction: transaction,
            database: try server.engine.store.database(self.database()),
            reply: Reply(mailbox: SimulatedScheduler(seed: 1).mailbox()) { _ in }
        )
        #expect(try await waiting.get().writeResults.count == 1)
        await drained.value
        await #expect(throws: (any Error).self) {
            _ = try await server.exchange("GET / HTTP/1.1\r\n\r\n")
        }
        server.engine.stop()
        try await server.group.shutdownGracefully()
    }

    @Test func `What does not finish within the grace is cut off with UNAVAILABLE, which is no failure`() async throws {
        let lines = Recorded<String>()
        var logger = Logger(label: "test", factory: { _ in ServerLogHandler(.text) { lines.append($0) } })
        logger.logLevel = .debug
        var configuration = RunningServer.configuration()
        // A slow call has a line of another level.
        configuration.slowCall = .seconds(3_600)
        let server = try await RunningServer(configuration, logger: logger)
        let client = try await server.connect()
        let begin = BeginTransactionRequest(database: try self.database())
        let begun: BeginTransactionResponse = try await client.unary { $0.beginTransaction(begin, completion: $1) }
        let batch = BatchGetDocumentsRequest(
            database: try self.database(),
            documents: [try self.name("c/a")],
            consistency: .transaction(begun.transaction)
        )
        _ = try await client.stream { $0.batchGetDocuments(batch, received: $1, finished: $2) }
        let request = CommitRequest(database: try self.database(), writes: [try self.set("c/a", 2)])
        let waiting: EventLoopFuture<CommitResponse> = client.start { $0.commit(request, completion: $1) }
        #expect(try await client.raw(HealthMethods.check, []) == [8, 1])
        await server.listener.drain(grace: .milliseconds(20))
        do {
            _ = try await waiting.get()
            #expect(Bool(false), "the commit got through")
        } catch let status as GRPCStatus {
            #expect(status.code == .unavailable)
        }
        try await server.stop()
        let told = lines.list.filter { $0.contains("status=UNAVAILABLE") }
        #expect(told.count == 1 && told[0].contains(" debug call ended "))
    }
}
