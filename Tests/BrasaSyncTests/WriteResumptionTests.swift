import BrasaDocuments
import BrasaQueryModel
import Testing

@testable import BrasaSync
@testable import BrasaSyncSpecification

/// Queued writes are applied once, whatever becomes of answers, connections and clients.
@Suite struct WriteResumptionTests {
    @Test(arguments: 0..<60 as Range<UInt64>)
    func `Every increment counts once, and every completion is called once`(_ seed: UInt64) throws {
        var run = try ResumptionRun(seed: seed)
        for _ in 0..<150 { try run.step() }
        try run.finish()
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
        #expect(seen.enumerated().allSatisfy { $1 >= $0 - RemoteStore.pipelineMax - RemoteStore.answersAtRiskMax })
        #expect(Set(seen) == [0, 50, 100])
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

private struct ResumptionRun {
    private let storage = MemoryStorage(collector: .leastRecentlyUsed)
    private let documents: FakeServer
    private let server: FakeWriteServer
    private var test: TestClient
    private var isNetworkEnabled = true
    /// By path, and what has been answered.
    private var made: [String: Int64] = [:]
    private let dice: Dice

    private final class Dice {
        var random: SeededRandom
        init(_ seed: UInt64) { self.random = SeededRandom(seed: seed) }
        func below(_ count: Int) -> Int { self.random.below(count) }
    }

    private static let users = [SyncUser.signedOut, SyncUser(uid: "ada")]

    init(seed: UInt64) throws {
        let dice = Dice(seed)
        self.dice = dice
        let test = try TestClient(self.storage)
        let documents = FakeServer(test.transport)
        self.test = test
        self.documents = documents
        self.server = FakeWriteServer { documents.commit($0) }
        self.server.appliedAtEnd = { dice.below($0 + 1) }
        self.server.connect(test.transport)
    }

    mutating func step() throws {
        switch self.dice.below(100) {
        case 0..<30: try self.increment()
        case 30..<33: self.test.client.write([try patch("c/none", [:])]) { _ in }
        case 33..<60: self.server.answer(self.test.transport)
        case 60..<66: self.test.transport.breakWrites(SyncError(.unavailable))
        case 66..<74: self.toggleNetwork()
        case 74..<78: self.test.client.setUser(Self.users[self.dice.below(2)])
        case 78..<84:
            let all: [StorageOperation] = [.acknowledgeBatch, .rejectBatch, .nextBatch, .noteWriteStream]
            self.test.storage.failing = self.dice.below(2) == 0 ? Set(all) : []
        case 84..<86: try self.kill()
        case 86..<88: self.test.scheduler.fire(.writeStreamIdle)
        default: self.test.scheduler.fire(through: nil)
        }
        if self.dice.below(3) > 0 { self.test.settle() }
    }

    private mutating func increment() throws {
        let path = "c/\(self.dice.below(3))"
        let transform = FieldTransform(path: try field("n"), operation: .increment(.integer(1)))
        self.made[path, default: 0] += 1
        self.test.client.write([try patch(path, [:], [transform], mustExist: false)]) { error in
            if let error { Issue.record("\(path): \(error)") }
        }
    }

    /// What was queued is still there when the next client begins; what was said on the way is not.
    private mutating func kill() throws {
        // Who has called must have returned.
        self.test.settle()
        self.test.transport.breakWrites(nil)
        self.test = try TestClient(self.storage, server: self.server)
        self.isNetworkEnabled = true
    }

    private mutating func toggleNetwork() {
        self.isNetworkEnabled.toggle()
        if self.isNetworkEnabled {
            self.test.client.enableNetwork {}
        } else {
            self.test.client.disableNetwork {}
        }
    }

    mutating func finish() throws {
        self.test.storage.failing = []
        if !self.isNetworkEnabled { self.toggleNetwork() }
        for user in Self.users {
            self.test.client.setUser(user)
            for _ in 0..<200 {
                self.test.settle()
                for timer in [SyncTimer.storageRetry, .writeStreamBackoff] { self.test.scheduler.fire(timer) }
                self.test.settle()
                self.server.answer(self.test.transport)
            }
            self.test.settle()
            #expect(try self.test.engine.local.highestBatchID() == nil)
        }
        for (text, count) in self.made {
            let stored = self.documents.documents[try path(text)]?.fields
            #expect(stored == fields(["n": .integer(count)]), "\(text)")
        }
    }
}
