import BrasaDocuments
import BrasaGRPC
import BrasaGRPCDoor
import BrasaHTTP2
import BrasaMessages
import BrasaSimulation
import BrasaStatus
import BrasaStore
import BrasaWire
import NIOCore
import NIOEmbedded
import Testing

@testable import BrasaService
@testable import BrasaTransactions

/// Batches of a Write stream wait for the disk together: what is behind them begins, and nothing overtakes their answers.
@Suite struct WriteStreamPipelineTests {
    private static let budgetBytes = 512 << 10

    /// Applied, durable or not.
    private func appliedCount(_ service: ServiceUnderTest) -> Int {
        service.service.writeStreams.receipts(through: .latest).count
    }

    /// What clients have sent comes to the server, while the disk stands still.
    private func carry(_ service: ServiceUnderTest) throws {
        service.loop.run()
        try service.carryToServer()
        service.loop.run()
    }

    /// A stream whose batches are with the engine, before the disk has any of them.
    private func writing(_ service: ServiceUnderTest, batches: Int) throws -> Writing {
        let writing = Writing(service)
        try writing.shakeHands()
        for number in 0..<batches { writing.send([try set("c/\(number)")]) }
        try self.carry(service)
        return writing
    }

    @Test func `A batch begins when the one before is applied, and is answered when it is durable`() throws {
        let service = try ServiceUnderTest()
        defer { service.close() }
        let writing = try self.writing(service, batches: 20)
        #expect(self.appliedCount(service) == 20)
        #expect(writing.times.isEmpty)
        try service.run()
        #expect(writing.times.count == 20 && writing.times == writing.times.sorted())
    }

    @Test func `Of one stream no more batches wait for the disk than it may have there`() throws {
        let service = try ServiceUnderTest()
        defer { service.close() }
        let writing = try self.writing(service, batches: 3 * WriteStreamTurns.turnsMax)
        #expect(self.appliedCount(service) == WriteStreamTurns.turnsMax)
        try service.run()
        #expect(writing.times.count == 3 * WriteStreamTurns.turnsMax)
    }

    /// A batch that is applied, as far as the turns know.
    private func applied(byteCount: Int) -> WriteStreamBatch {
        let record = WriteStreamRecord(id: "s", database: ServiceUnderTest.database, bounds: .init()) {}
        let batch = WriteStreamBatch([], byteCount: byteCount, record: record, archive: .protobuf)
        batch.state = .applied
        return batch
    }

    @Test func `Of one stream no more bytes wait for the disk than one batch beyond what it may have there`() {
        var turns = WriteStreamTurns()
        for _ in 0..<3 {
            #expect(turns.hasRoom)
            turns.append(.batch(self.applied(byteCount: WriteStreamTurns.bytesMax / 3 + 1)))
        }
        #expect(!turns.hasRoom)
    }

    @Test func `What is said behind a batch is bounded as batches are`() {
        var turns = WriteStreamTurns()
        turns.append(.batch(self.applied(byteCount: 1)))
        for _ in 1..<WriteStreamTurns.turnsMax {
            #expect(turns.hasRoom)
            turns.append(.answer(WriteResponse(streamToken: [])))
        }
        #expect(!turns.hasRoom)
    }

    @Test func `Goodbyes behind a batch wait for it, however many`() throws {
        let service = try ServiceUnderTest()
        defer { service.close() }
        let writing = try self.writing(service, batches: 1)
        for _ in 0..<1_000 { writing.send([]) }
        try self.carry(service)
        #expect(writing.responses.count == 1)
        try service.run()
        #expect(writing.responses.count == 1_002 && writing.responses[1].commitTime != nil)
    }

    /// A stream whose batches fill the queue of the log, which takes three of them.
    private func filling(_ service: ServiceUnderTest, batches: Int) throws -> Writing {
        let writing = Writing(service)
        try writing.shakeHands()
        let text = Value.string(UTF8Text(String(repeating: "x", count: 10 << 10)))
        for number in 0..<batches { writing.send([try set("c/\(number)", [("text", text)])]) }
        return writing
    }

    @Test(arguments: [false, true])
    func `A stream goes on though a batch found the log full when its connection ended`(_ isTakenOver: Bool) throws {
        let service = try ServiceUnderTest()
        defer { service.close() }
        let first = try self.filling(service, batches: 9)
        try self.carry(service)
        let applied = self.appliedCount(service)
        #expect(applied > 0 && applied < 9)
        if !isTakenOver { first.call?.cancel() }
        let second = Writing(service)
        try second.resume(first, after: 0)
        #expect(second.times.count == applied && second.responses.count == applied + 1)
        second.send([try set("c/next")])
        try service.run()
        #expect(second.times.count == applied + 1 && second.status == nil)
    }

    @Test func `After a drain, too, a batch that waits for locks is taken back when its client goes`() throws {
        let service = try ServiceUnderTest()
        defer { service.close() }
        try service.commit([try set("c/locked")])
        let transaction = try service.begin()
        _ = try service.get("c/locked", .transaction(transaction))
        let writing = Writing(service)
        try writing.shakeHands()
        writing.send([try set("c/locked", [("n", .integer(1))])])
        try service.run()
        service.drain()
        try service.run()
        writing.call?.cancel()
        try service.run()
        service.engine.transactions.rollback(
            transaction: try #require(TransactionID(bytes: transaction)),
            database: service.engine.store.database(ServiceUnderTest.database),
            reply: Reply(mailbox: service.engine.scheduler.mailbox()) { _ in }
        )
        try service.run()
        #expect(self.appliedCount(service) == 0)
        #expect(writing.times.isEmpty)
    }

    @Test func `A batch that finds the log full of those before it waits for them`() throws {
        let service = try ServiceUnderTest()
        defer { service.close() }
        let writing = try self.filling(service, batches: 9)
        try service.run()
        #expect(writing.times.count == 9 && writing.status == nil)
    }

    /// What ends a stream, while batches wait for the disk, and how.
    enum Ending: CaseIterable {
        case failing, unreadable, tooLarge, halfClose, drain

        var code: StatusCode {
            switch self {
            case .failing: .notFound
            case .unreadable, .tooLarge: .invalidArgument
            case .halfClose: .ok
            case .drain: .unavailable
            }
        }
    }

    @Test(arguments: Ending.allCases)
    func `Whatever ends a stream waits for the answers to what was applied`(_ ending: Ending) throws {
        let service = try ServiceUnderTest()
        defer { service.close() }
        let writing = try self.writing(service, batches: 5)
        switch ending {
        case .failing:
            writing.send([
                Write(name: try name("c/none"), operation: .merge(.empty, mask: []), precondition: .exists(true))
            ])
        case .unreadable: writing.call?.send(ByteBuffer(bytes: [0xFF]))
        case .tooLarge: writing.call?.send(ByteBuffer(repeating: 0, count: 12 << 20))
        case .halfClose: writing.call?.halfClose()
        case .drain:
            try self.carry(service)
            service.drain()
        }
        if ending != .halfClose { writing.send([try set("c/behind")]) }
        try self.carry(service)
        #expect(writing.status == nil)
        try service.run()
        #expect(writing.times.count == 5)
        #expect(writing.status?.code == ending.code)
        #expect(self.appliedCount(service) == 5)
    }

    @Test func `A goodbye is answered behind the batches before it`() throws {
        let service = try ServiceUnderTest()
        defer { service.close() }
        let writing = try self.writing(service, batches: 3)
        writing.send([])
        writing.send([try set("c/last")])
        try service.run()
        #expect(writing.responses.dropFirst().map { $0.commitTime != nil } == [true, true, true, false, true])
        let positions = writing.responses.compactMap { WriteStreamRecord.position($0.streamToken) }
        #expect(positions == positions.sorted() && Set(positions).count == 6)
    }

    @Test func `Where the answers of a stream fill the budget, no batch is applied that there is no room to answer`()
        throws
    {
        let budget = ByteBudget(bytesMax: Self.budgetBytes)
        let service = try ServiceUnderTest(budget: budget)
        defer { service.close() }
        let writing = Writing(service)
        try writing.shakeHands()
        // Nothing is acknowledged, so all answers are kept.
        for number in 0..<60 { writing.send(try (0..<1_000).map { try set("c\(number)/\($0)") }) }
        try service.run()
        #expect(writing.times.count > 2 && writing.times.count < 60)
        #expect(budget.drawnBytes <= Self.budgetBytes)
        #expect(self.appliedCount(service) == writing.times.count)
    }

    @Test func `After a failed sync nothing is answered, and no batch behind it begins`() throws {
        let disk = SimulatedDisk(seed: 1)
        let service = try ServiceUnderTest(disk: disk)
        defer { service.close() }
        disk.faults.failedSyncs = 1_000
        let writing = try self.writing(service, batches: 5)
        try service.run()
        writing.send([try set("c/behind")])
        try service.run()
        #expect(writing.times.isEmpty)
        #expect(writing.status?.code == .dataLoss)
        #expect(try service.get("c/behind").status?.code == .notFound)
    }
}
