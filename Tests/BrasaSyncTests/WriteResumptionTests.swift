import BrasaDocuments
import BrasaStatus
import Testing

@testable import BrasaSync
@testable import BrasaSyncSpecification

/// Queued writes are applied once, whatever becomes of answers, connections and clients.
@Suite struct WriteResumptionTests {
    @Test(arguments: 0..<60 as Range<UInt64>)
    func `Every batch is applied once and answered once, whatever breaks`(_ seed: UInt64) throws {
        var trial = try ResumptionTrial(seed: seed, LosingMemoryStorage())
        for _ in 0..<150 { try trial.step() }
        try trial.finish()
    }

    /// Else the test above could come to excuse every batch that is applied twice.
    @Test func `Trials resume streams and lose power, and few batches are excused`() throws {
        var (losses, resumptions, batches, excused) = (0, 0, 0, 0)
        for seed in 100..<110 as Range<UInt64> {
            var trial = try ResumptionTrial(seed: seed, LosingMemoryStorage())
            for _ in 0..<150 { try trial.step() }
            try trial.finish()
            losses += trial.lossCount
            resumptions += trial.resumptionCount
            batches += trial.batchCount
            excused += trial.excusedCount
        }
        #expect(losses >= 20)
        #expect(resumptions >= 50)
        #expect(excused * 10 <= batches)
    }

    private func client(_ server: FakeWriteServer, _ storage: MemoryStorage? = nil) throws -> TestClient {
        try TestClient(storage ?? MemoryStorage(collector: .leastRecentlyUsed), server: server)
    }

    /// Refuses writes below "refused".
    private func server() -> FakeWriteServer {
        var version: Int64 = 0
        return FakeWriteServer { writes in
            guard !writes.contains(where: { $0.name.path.string.hasPrefix("refused/") }) else { return nil }
            version += 1
            let time = Timestamp(microseconds: version)
            let result = WriteResult(updateTime: time, transformResults: [])
            return WriteMessage(streamToken: [], commitTime: time, results: writes.map { _ in result })
        }
    }

    @Test func `What was applied before the network went is acknowledged, not sent again, when it comes back`() throws {
        let server = self.server()
        let test = try self.client(server)
        for index in 0..<3 { test.write(try set("c/\(index)", [:])) }
        server.appliedAtEnd = { _ in 2 }
        test.client.disableNetwork {}
        test.settle()
        #expect(test.log == [])
        test.client.enableNetwork {}
        test.settle()
        #expect(test.log == ["acknowledged", "acknowledged"])
        #expect(test.transport.writes?.pending.map { $0.map(\.name.path.string) } == [["c/2"]])
        #expect(server.resumptions == 1)
    }

    @Test func `A client that was killed learns what was applied`() throws {
        let server = self.server()
        let storage = MemoryStorage(collector: .leastRecentlyUsed)
        let killed = try self.client(server, storage)
        killed.write(try set("c/0", [:]))
        server.answer(killed.transport)
        killed.settle()
        for index in 1...3 { killed.write(try set("c/\(index)", [:])) }
        server.appliedAtEnd = { _ in 2 }
        killed.transport.breakWrites(nil)
        let test = try self.client(server, storage)
        #expect(try test.engine.local.nextBatch(after: 0)?.writes.map(\.name.path.string) == ["c/3"])
        #expect(test.transport.writes?.pending.map { $0.map(\.name.path.string) } == [["c/3"]])
    }

    @Test func `When the stream is not known any more, a new one begins at once`() throws {
        let server = self.server()
        let test = try self.client(server)
        test.write(try set("c/0", [:]))
        server.forgetAll()
        test.transport.breakWrites(SyncError(.unavailable))
        test.settle()
        test.scheduler.fire(.writeStreamBackoff)
        test.settle()
        test.scheduler.fire(.writeStreamBackoff)
        test.settle()
        #expect(test.log == [])
        #expect(test.transport.writes?.pending.count == 1)
        server.answer(test.transport)
        test.settle()
        #expect(test.log == ["acknowledged"])
    }

    @Test func `Whoever may not connect keeps the stream for when they may`() throws {
        let server = self.server()
        let test = try self.client(server)
        test.write(try set("c/0", [:]))
        server.appliedAtEnd = { _ in 1 }
        test.transport.greet = { _ in .failure(SyncError(.permissionDenied)) }
        test.transport.breakWrites(SyncError(.unavailable))
        for _ in 0..<3 {
            test.settle()
            test.scheduler.fire(.writeStreamBackoff)
        }
        test.settle()
        #expect(test.log == [])
        server.connect(test.transport)
        test.scheduler.fire(.writeStreamBackoff)
        test.settle()
        #expect(test.log == ["acknowledged"])
    }

    /// DATA_LOSS: the server cannot say whether the batch was applied.
    @Test(arguments: [0, 1])
    func `A server that has lost sight of a batch is asked about it, not sent it again`(applied: Int) throws {
        let server = self.server()
        let test = try self.client(server)
        test.write(try set("c/0", [:]))
        server.appliedAtEnd = { _ in applied }
        test.transport.breakWrites(SyncError(.dataLoss))
        test.settle()
        test.scheduler.fire(.writeStreamBackoff)
        test.settle()
        #expect(server.resumptions == 1)
        #expect(test.log == Array(repeating: "acknowledged", count: applied))
        server.answer(test.transport)
        test.settle()
        #expect(test.log == ["acknowledged"])
    }

    @Test func `A batch that a server without streams to take up again has lost sight of is not sent again`() throws {
        let test = try TestClient()
        test.write(try set("c/0", [:]))
        test.transport.breakWrites(SyncError(.dataLoss))
        test.settle()
        #expect(test.log == ["rejected dataLoss"])
        #expect(test.transport.writes?.pending.isEmpty ?? true)
    }

    @Test func `A server that has no streams to take up again is asked for none`() throws {
        let test = try TestClient()
        var asked: [WriteStreamPosition?] = []
        test.transport.greet = {
            asked.append($0)
            return .success([WriteMessage(streamToken: [1], commitTime: nil, results: [])])
        }
        var seen: [[UInt8]] = []
        test.transport.tokenSeen = { seen.append($0) }
        test.write(try set("c/0", [:]))
        test.acknowledge(5)
        test.write(try set("c/1", [:]))
        test.transport.breakWrites(SyncError(.unavailable))
        test.settle()
        test.scheduler.fire(.writeStreamBackoff)
        test.settle()
        #expect(asked == [nil, nil])
        #expect(seen == [[1], [2], [1]])
    }

    @Test func `Nothing is sent on a stream that the storage does not know`() throws {
        let server = self.server()
        let test = try self.client(server)
        test.storage.failing = [.noteWriteStream]
        test.write(try set("c/0", [:]))
        #expect(test.transport.writes == nil)
        test.storage.failing = []
        test.scheduler.fire(.storageRetry)
        test.settle()
        #expect(test.transport.writes?.pending.count == 1)
        #expect(server.resumptions == 1)
    }

    @Test func `The server is told only of answers that outlive the loss of power`() throws {
        let server = self.server()
        let test = try self.client(server)
        var seen: [String] = []
        test.transport.tokenSeen = { seen.append(String(decoding: $0, as: UTF8.self)) }
        for index in 0..<12 { test.write(try set("c/\(index)", [:])) }
        // Two more are sent now, without anything having been written to the storage for good.
        for _ in 0..<2 {
            server.answer(test.transport)
            test.settle()
        }
        test.write(try set("c/a", [:]))
        server.answer(test.transport)
        test.settle()
        #expect(seen == Array(repeating: "0", count: 12) + ["2"])
    }

    @Test func `A refusal ends the stream for good, so that no later answer is taken for that of the refused batch`()
        throws
    {
        let server = self.server()
        let test = try self.client(server)
        test.write(try set("refused/0", [:]))
        test.write(try set("c/1", [:]))
        let refused = try test.engine.local.writeStreamPosition()?.streamID
        server.answer(test.transport)
        test.settle()
        #expect(test.log == ["rejected notFound"])
        let next = try test.engine.local.writeStreamPosition()?.streamID
        #expect(refused != nil && next != nil && refused != next)
        server.answer(test.transport)
        test.settle()
        #expect(test.log == ["rejected notFound", "acknowledged"])
        #expect(server.resumptions == 0)
    }

    @Test func `What waited for the storage is not done in another user's turn`() throws {
        let server = self.server()
        let test = try self.client(server)
        test.write(try set("c/0", [:]))
        test.storage.failing = [.acknowledgeBatch]
        // The answer comes when the change of users is already waiting for its turn.
        server.answer(test.transport)
        test.client.setUser(SyncUser(uid: "ada"))
        test.settle()
        test.storage.failing = []
        test.scheduler.fire(.storageRetry)
        test.settle()
        #expect(try test.engine.local.writeStreamPosition() == nil)
        test.client.setUser(.signedOut)
        test.settle()
        #expect(try test.engine.local.highestBatchID() == nil)
        #expect(test.log == ["acknowledged"])
    }

    @Test func `A stream that was given up is not resumed later`() throws {
        let server = self.server()
        let test = try self.client(server)
        test.write(try set("c/0", [:]))
        // Another server, without such streams, is there for a while.
        test.transport.greet = { position in
            guard position == nil else { return .failure(SyncError(.invalidArgument)) }
            return .success([WriteMessage(streamToken: [1], commitTime: nil, results: [])])
        }
        test.transport.breakWrites(SyncError(.unavailable))
        for _ in 0..<3 {
            test.settle()
            test.scheduler.fire(.writeStreamBackoff)
        }
        test.settle()
        #expect(test.transport.writes?.pending.count == 1)
        #expect(try test.engine.local.writeStreamPosition() == nil)
        test.client.disableNetwork {}
        test.settle()
        server.connect(test.transport)
        test.client.enableNetwork {}
        test.settle()
        #expect(server.resumptions == 0)
        #expect(test.transport.writes?.pending.count == 1)
    }

    @Test func `Answers to a long queue are stored for good before the server forgets them`() throws {
        let server = self.server()
        let test = try self.client(server)
        test.client.disableNetwork {}
        for index in 0..<120 { test.write(try set("c/\(index)", [:])) }
        var seen: [Int] = []
        test.transport.tokenSeen = { seen.append(Int(String(decoding: $0, as: UTF8.self)) ?? -1) }
        test.client.enableNetwork {}
        test.settle()
        for _ in 0..<120 {
            server.answer(test.transport)
            test.settle()
        }
        #expect(test.log.count == 120)
        #expect(seen.count == 120)
        #expect(seen.enumerated().allSatisfy { $1 >= $0 - WritePipeline.countMax - RemoteStore.answersAtRiskMax })
        // All were sent when a hundred were answered.
        #expect(Set(seen) == [0, 50])
    }

    @Test func `Answers that no connection alone makes too many are stored for good, too`() throws {
        var applied: [String] = []
        let server = FakeWriteServer { writes in
            applied += writes.map(\.name.path.string)
            let time = Timestamp(microseconds: Int64(applied.count))
            let result = WriteResult(updateTime: time, transformResults: [])
            return WriteMessage(streamToken: [], commitTime: time, results: [result])
        }
        let storage = LosingMemoryStorage()
        var test = try TestClient(storage, server: server)
        test.client.disableNetwork {}
        for index in 0..<250 { test.write(try set("c/\(index)", [:])) }
        for turn in 1...5 {
            test.client.enableNetwork {}
            test.settle()
            for _ in 0..<40 {
                server.answer(test.transport)
                test.settle()
            }
            if turn == 3 {
                // Nor does it help to begin again in another process.
                test.transport.breakWrites(nil)
                test = try TestClient(storage, server: server)
            }
            test.client.disableNetwork {}
        }
        try storage.losePower { _ in 0 }
        test = try TestClient(storage, server: server)
        while test.transport.writes?.pending.isEmpty == false {
            server.answer(test.transport)
            test.settle()
        }
        #expect(applied == (0..<250).map { "c/\($0)" })
    }

    @Test func `Answers that do not fit what is queued end the stream for good`() throws {
        let server = self.server()
        let test = try self.client(server)
        test.write(try set("c/0", [:]))
        let stray = WriteMessage(streamToken: [9], commitTime: Timestamp(microseconds: 1), results: [])
        test.transport.greet = { _ in .success([stray]) }
        test.transport.breakWrites(SyncError(.unavailable))
        test.settle()
        test.scheduler.fire(.writeStreamBackoff)
        test.settle()
        server.connect(test.transport)
        test.scheduler.fire(.writeStreamBackoff)
        test.settle()
        #expect(test.log == [])
        #expect(server.resumptions == 0)
        #expect(test.transport.writes?.pending.count == 1)
    }
}
