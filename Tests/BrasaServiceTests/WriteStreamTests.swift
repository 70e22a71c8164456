import BrasaDocuments
import BrasaGRPC
import BrasaMessages
import BrasaSimulation
import BrasaStatus
import BrasaStore
import BrasaTransactions
import BrasaWire
import NIOCore
import Testing

@testable import BrasaService

@Suite struct WriteStreamTests {
    private func number(_ value: Int64) -> [(String, Value)] { [("n", .integer(value))] }

    @Test func `A handshake is answered with an id and a token, and nothing else`() throws {
        let service = try ServiceUnderTest()
        defer { service.close() }
        let first = Writing(service)
        let second = Writing(service)
        try first.shakeHands()
        try second.shakeHands()
        #expect(!first.responses[0].streamID.bytes.isEmpty && !first.responses[0].streamToken.isEmpty)
        #expect(first.responses[0].writeResults.isEmpty && first.responses[0].commitTime == nil)
        #expect(first.responses[0].streamID != second.responses[0].streamID)
        #expect(first.status == nil)
    }

    @Test func `Pipelined batches are committed and answered in order, each with a token of its own`() throws {
        let service = try ServiceUnderTest()
        defer { service.close() }
        let writing = Writing(service)
        try writing.shakeHands()
        let token = writing.responses[0].streamToken
        for value in 0..<20 {
            writing.send([try set("c/a", self.number(Int64(value))), try set("c/\(value)")], token: token)
        }
        try service.run()
        #expect(writing.responses.dropFirst().map(\.writeResults.count) == Array(repeating: 2, count: 20))
        #expect(writing.responses.dropFirst().allSatisfy { $0.streamID.bytes.isEmpty })
        #expect(Set(writing.responses.map(\.streamToken)).count == 21)
        #expect(writing.times.count == 20 && writing.times == writing.times.sorted())
        for (value, time) in writing.times.enumerated() {
            #expect(try service.get("c/\(value)").get().document?.updateTime == time)
        }
        #expect(try service.get("c/a").get().document?.fields == fields(self.number(19)))
    }

    @Test func `A goodbye is answered with a token, and a half-close ends the stream well`() throws {
        let service = try ServiceUnderTest()
        defer { service.close() }
        let writing = Writing(service)
        try writing.shakeHands()
        writing.send([try set("c/a")])
        writing.send([])
        writing.call?.halfClose()
        try service.run()
        #expect(writing.responses.map(\.writeResults.count) == [0, 1, 0])
        #expect(writing.responses.map { $0.commitTime == nil } == [true, false, true])
        #expect(writing.responses.allSatisfy { !$0.streamToken.isEmpty })
        #expect(writing.status == .ok)
    }

    @Test func `A failed batch ends the stream, and nothing behind it happens`() throws {
        let service = try ServiceUnderTest()
        defer { service.close() }
        let writing = Writing(service)
        try writing.shakeHands()
        let failing = Write(name: try name("c/none"), operation: .merge(.empty, mask: []), precondition: .exists(true))
        writing.send([try set("c/before")])
        writing.send([try set("c/with"), failing])
        writing.send([try set("c/behind")])
        try service.run()
        #expect(writing.responses.count == 2)
        #expect(writing.status?.code == .notFound)
        #expect(writing.status?.message == "No document to update: \(try name("c/none").string)")
        #expect(try service.get("c/before").status == .ok)
        #expect(try service.get("c/with").status?.code == .notFound)
        #expect(try service.get("c/behind").status?.code == .notFound)
    }

    @Test func `A batch that must wait for a lock holds back those behind it`() throws {
        let service = try ServiceUnderTest()
        defer { service.close() }
        try service.commit([try set("c/locked", self.number(0))])
        let transaction = try service.begin()
        _ = try service.get("c/locked", .transaction(transaction))
        let writing = Writing(service)
        try writing.shakeHands()
        writing.send([try set("c/locked", self.number(1))])
        writing.send([try set("c/free")])
        writing.call?.halfClose()
        try service.run()
        #expect(writing.responses.count == 1)
        #expect(try service.get("c/free").status?.code == .notFound)
        try service.commit([], transaction: transaction)
        try service.run()
        #expect(writing.times.count == 2 && writing.times[0] < writing.times[1])
        #expect(writing.status == .ok)
    }

    @Test func `Nothing is answered before it is durable, and nothing after the log failed`() throws {
        let disk = SimulatedDisk(seed: 1)
        let service = try ServiceUnderTest(disk: disk)
        defer { service.close() }
        let writing = Writing(service)
        try writing.shakeHands()
        disk.faults = SimulatedFaults(failedSyncs: 1_000)
        writing.send([try set("c/a")])
        writing.send([try set("c/b")])
        try service.run()
        #expect(writing.responses.count == 1)
        #expect(writing.status?.code == .dataLoss)
        #expect(try service.get("c/a").status?.code == .notFound)
        #expect(try service.get("c/b").status?.code == .notFound)
    }

    @Test func `A later token that nobody knows does not matter`() throws {
        let service = try ServiceUnderTest()
        defer { service.close() }
        let writing = Writing(service)
        try writing.shakeHands()
        writing.send([try set("c/a")], token: [9, 9, 9], streamID: "another")
        try service.run()
        #expect(writing.times.count == 1 && writing.status == nil)
    }

    @Test func `A handshake with writes, and one that cannot be read, are refused`() throws {
        let service = try ServiceUnderTest()
        defer { service.close() }
        let eager = Writing(service)
        eager.send([try set("c/a")])
        try service.run()
        #expect(eager.status?.code == .invalidArgument)
        #expect(try service.get("c/a").status?.code == .notFound)
        var status: GRPCStatus?
        let mute = service.stub.write(received: { _ in }, finished: { status = $0.status })
        mute.call.send(ByteBuffer(bytes: [0xFF]))
        try service.run()
        #expect(status?.code == .invalidArgument)
    }

    @Test func `A stream writes in the database that it began with`() throws {
        let service = try ServiceUnderTest()
        defer { service.close() }
        let other = try DatabaseName(parsing: "projects/p/databases/other".utf8)
        var status: GRPCStatus?
        let stream = service.stub.write(received: { _ in }, finished: { status = $0.status })
        stream.send(WriteRequest(database: other))
        stream.send(WriteRequest(database: ServiceUnderTest.database, writes: [try set("c/a")]))
        try service.run()
        #expect(status?.code == .invalidArgument)
        #expect(try service.get("c/a").status?.code == .notFound)
    }

    @Test func `A cancelled stream takes back the batch that waits, and what waits behind it`() throws {
        let service = try ServiceUnderTest()
        defer { service.close() }
        try service.commit([try set("c/locked", self.number(0))])
        let transaction = try service.begin()
        _ = try service.get("c/locked", .transaction(transaction))
        let writing = Writing(service)
        try writing.shakeHands()
        writing.send([try set("c/locked", self.number(1))])
        writing.send([try set("c/behind")])
        try service.run()
        writing.call?.cancel()
        try service.run()
        try service.commit([], transaction: transaction)
        try service.run()
        #expect(try service.get("c/locked").get().document?.fields == fields(self.number(0)))
        #expect(try service.get("c/behind").status?.code == .notFound)
    }

    @Test func `A small window slows a stream down and loses nothing`() throws {
        let service = try ServiceUnderTest(window: 1 << 10)
        defer { service.close() }
        let writing = Writing(service)
        writing.send([])
        for _ in 0..<2_000 { writing.send([try increment("c/count")]) }
        try service.run()
        #expect(writing.times.count == 2_000)
        #expect(try service.get("c/count").get().document?.fields == fields(self.number(2_000)))
    }

    @Test func `A drain answers the batch in progress and no other`() throws {
        let service = try ServiceUnderTest()
        defer { service.close() }
        try service.commit([try set("c/locked", self.number(0))])
        let transaction = try service.begin()
        _ = try service.get("c/locked", .transaction(transaction))
        let idle = Writing(service)
        let busy = Writing(service)
        try idle.shakeHands()
        try busy.shakeHands()
        busy.send([try set("c/locked", self.number(1))])
        busy.send([try set("c/behind")])
        try service.run()
        service.drain()
        try service.run()
        #expect(idle.status?.code == .unavailable)
        #expect(busy.status == nil)
        service.engine.transactions.rollback(
            transaction: try #require(TransactionID(bytes: transaction)),
            database: service.engine.store.database(ServiceUnderTest.database),
            reply: Reply(mailbox: service.engine.scheduler.mailbox()) { _ in }
        )
        try service.run()
        #expect(busy.times.count == 1 && busy.status?.code == .unavailable)
    }
}
