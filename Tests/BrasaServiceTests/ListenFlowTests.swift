import BrasaDocuments
import BrasaGRPC
import BrasaMessages
import BrasaSimulation
import BrasaStatus
import BrasaStore
import BrasaWatch
import BrasaWire
import NIOCore
import Testing

@testable import BrasaService

/// Listen streams whose clients are slow, or gone.
@Suite struct ListenFlowTests {
    private static let text = Value.string(UTF8Text(String(repeating: "x", count: 8_000)))

    private func write(_ index: Int, _ round: Int) throws -> Write {
        try set("c/\(100 + index)", [("n", .integer(Int64(round))), ("t", Self.text)])
    }

    /// The store's documents under the names that a client has them by.
    private func stored(_ service: ServiceUnderTest) throws -> [DocumentName: Document] {
        let documents = try service.list(ListDocumentsRequest(parent: try parent(), collectionID: "c", pageSize: 300))
        return try Dictionary(
            uniqueKeysWithValues: documents.get().documents.compactMap { entry in
                entry.document.map { (entry.name, $0) }
            }
        )
    }

    @Test func `A client that stops reading gets what is newest when it reads again, and holds up nobody`() throws {
        let service = try ServiceUnderTest(window: 16 << 10)
        defer { service.close() }
        let stalled = Listening(service)
        stalled.add(try .collection(1))
        _ = try stalled.take()
        service.isClientReading = false
        var commits = 0
        for round in 0..<50 {
            for index in 0..<10 {
                _ = service.stub.commit(
                    CommitRequest(database: ServiceUnderTest.database, writes: [try self.write(index, round)]),
                    completion: { _ in }
                )
                try service.run()
                commits += 1
            }
        }
        // 4 MB were written; what waits for the client is bounded by its stream's mark.
        #expect(service.watcher.counters.current.eventsSent < commits)
        service.isClientReading = true
        try service.run()
        let lines = try stalled.take()
        #expect(lines.last == "SNAPSHOT")
        #expect(stalled.snapshots == stalled.snapshots.sorted())
        #expect(stalled.snapshots.count < commits)
        #expect(stalled.documents == (try self.stored(service)))
        #expect(stalled.documents.count == 10)
        // Live again: the next commit comes as a group of its own.
        try service.commit([try self.write(0, 99)])
        #expect(try stalled.take() == ["c/100 +1", "SNAPSHOT"])
    }

    @Test func `A large first state is told as the client takes it`() throws {
        let service = try ServiceUnderTest(window: 16 << 10)
        defer { service.close() }
        for index in 0..<120 { try service.commit([try self.write(index, 0)]) }
        let listening = Listening(service)
        listening.add(try .collection(1))
        let lines = try listening.take()
        #expect(lines.count == 123 && lines.suffix(2) == ["CURRENT 1", "SNAPSHOT"])
        #expect(listening.documents == (try self.stored(service)))
    }

    @Test func `Requests of a client that reads nothing wait, and are all answered in the end`() throws {
        let service = try ServiceUnderTest(window: 4 << 10)
        defer { service.close() }
        let listening = Listening(service)
        listening.add(try .collection(1))
        _ = try listening.take()
        service.isClientReading = false
        for _ in 0..<5_000 {
            listening.add(try .documents(2, "c/a", "c/b", "c/d"))
            listening.remove(2)
        }
        try service.run()
        service.isClientReading = true
        let lines = try listening.take()
        #expect(lines.filter { $0 == "ADD 2" }.count == 5_000)
        #expect(lines.filter { $0 == "REMOVE 2" }.count == 5_000)
        try service.commit([try self.write(0, 0)])
        #expect(try listening.take() == ["c/100 +1", "SNAPSHOT"])
    }

    enum Ending: CaseIterable, Sendable {
        case cancelled, halfClosed, connectionLost, drained, badRequest
    }

    @Test(arguments: Ending.allCases)
    func `The end of a stream gives back all that it held`(_ ending: Ending) throws {
        let service = try ServiceUnderTest()
        try service.commit([try self.write(0, 0)])
        let listening = Listening(service)
        listening.add(try .collection(1, limit: 3))
        listening.add(try .collection(2))
        _ = try listening.take()
        let held = service.watcher.counters.current
        #expect((held.streams, held.targets, held.views) == (1, 2, 2))
        #expect(service.engine.store.statistics.snapshotPins > 0)
        switch ending {
        case .cancelled: listening.call?.cancel()
        case .halfClosed: listening.call?.halfClose()
        case .connectionLost: service.close()
        case .drained: service.drain()
        case .badRequest: listening.send([0xFF])
        }
        try service.run()
        service.watcher.tick()
        try service.run()
        let left = service.watcher.counters.current
        #expect((left.streams, left.targets, left.views) == (0, 0, 0))
        #expect(service.engine.store.statistics.snapshotPins == 0)
        switch ending {
        case .cancelled: #expect(listening.status?.code == .cancelled)
        case .halfClosed: #expect(listening.status?.code == .ok)
        case .drained: #expect(listening.status?.code == .unavailable)
        case .badRequest: #expect(listening.status?.code == .invalidArgument)
        case .connectionLost: #expect(listening.status != nil)
        }
        service.close()
    }

    @Test func `Streams that are on their way when a drain begins do not hold it up`() throws {
        let service = try ServiceUnderTest()
        defer { service.close() }
        let silent = Listening(service)
        let listening = Listening(service)
        listening.add(try .collection(1))
        let unopened = Writing(service)
        let writing = Writing(service)
        writing.send([])
        service.drain()
        try service.run()
        #expect([silent, listening].map { $0.status?.code } == [.unavailable, .unavailable])
        #expect([unopened, writing].map { $0.status?.code } == [.unavailable, .unavailable])
        #expect(!service.isServerOpen)
        #expect(service.watcher.counters.current.streams == 0)
    }

    @Test func `A database that is cleared is told of`() throws {
        let service = try ServiceUnderTest()
        defer { service.close() }
        for index in 0..<5 { try service.commit([try self.write(index, 0)]) }
        let listening = Listening(service)
        listening.add(try .collection(1))
        _ = try listening.take()
        let cleared = Box(false)
        service.service.clear(ServiceUnderTest.database) { _ in cleared.value = true }
        try service.run()
        #expect(cleared.value)
        let lines = try listening.take()
        #expect(lines.filter { $0.hasPrefix("deleted c/") }.count == 5)
        #expect(lines.last == "SNAPSHOT" && listening.documents.isEmpty)
    }
}
