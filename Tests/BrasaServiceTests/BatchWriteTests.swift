import BrasaDocuments
import BrasaGRPC
import BrasaMessages
import BrasaSimulation
import BrasaStatus
import BrasaStore
import BrasaTransactions
import BrasaWire
import NIOCore
import NIOEmbedded
import Testing

@testable import BrasaService

/// A batch of two writes, of which one waits for the lock that a transaction has.
@Suite struct BatchWriteTests {
    private let service: ServiceUnderTest
    private let transaction: [UInt8]

    init() throws {
        self.service = try ServiceUnderTest()
        try self.service.commit([try set("c/held", [("n", .integer(0))])])
        self.transaction = try self.service.begin()
        _ = try self.service.get("c/held", .transaction(self.transaction)).get()
    }

    private func start() throws -> ServiceUnderTest.Answer<BatchWriteResponse> {
        let count = FieldTransform(path: try FieldPath(parsing: "n".utf8), operation: .increment(.integer(1)))
        let writes = try ["c/free", "c/held"].map {
            Write(name: try name($0), operation: .merge(.empty, mask: []), transforms: [count])
        }
        let request = BatchWriteRequest(database: ServiceUnderTest.database, writes: writes)
        return try self.service.start { $0.batchWrite(request, completion: $1) }
    }

    /// The numbers in the two documents once the lock is free.
    private func numbers() throws -> [EncodedFields?] {
        self.service.engine.transactions.rollback(
            transaction: try #require(TransactionID(bytes: self.transaction)),
            database: self.service.engine.store.database(ServiceUnderTest.database),
            reply: Reply(mailbox: self.service.engine.scheduler.mailbox()) { _ in }
        )
        try self.service.run()
        let store = self.service.engine.store
        return try ["c/free", "c/held"].map {
            let database = store.database(ServiceUnderTest.database)
            return try store.get(name($0).path, in: database, at: store.strongReadTime())?.fields
        }
    }

    @Test func `At the end of a shutdown's grace what waits for locks has not happened, the rest has its answer`()
        throws
    {
        defer { self.service.close() }
        let answer = try self.start()
        try self.service.run()
        self.service.drain()
        try self.service.run()
        #expect(answer.status == nil)
        self.service.loop.advanceTime(by: .seconds(10))
        try self.service.run()
        #expect(try answer.get().statuses.map(\.code) == [.ok, .unavailable])
        #expect(try self.numbers() == [fields([("n", .integer(1))]), fields([("n", .integer(0))])])
    }

    @Test func `At the end of a shutdown's grace the outcome is open while a write waits for the disk`() throws {
        defer { self.service.close() }
        let answer = try self.start()
        self.service.loop.run()
        try self.service.carryToServer()
        self.service.drain()
        self.service.loop.advanceTime(by: .seconds(10))
        try self.service.run()
        #expect(answer.status?.code == .dataLoss)
        #expect(try self.numbers() == [fields([("n", .integer(1))]), fields([("n", .integer(0))])])
    }

    @Test func `What waits for locks is not applied once the client is gone`() throws {
        defer { self.service.close() }
        let answer = try self.start()
        try self.service.run()
        answer.call?.cancel()
        try self.service.run()
        #expect(try self.numbers() == [fields([("n", .integer(1))]), fields([("n", .integer(0))])])
    }
}
