import BrasaDocuments
import BrasaGRPC
import BrasaMessages
import BrasaSimulation
import BrasaStore
import BrasaWire
import Synchronization
import Testing

@testable import BrasaService

/// However often connections break, and wherever, every batch of a client is applied once.
@Suite struct WriteStreamModelTests {
    private static func check(_ clients: [WritingClient], _ service: ServiceUnderTest) throws {
        for (number, client) in clients.enumerated() {
            #expect(client.complaint == nil)
            #expect(client.isDone)
            guard client.made > 0 else { continue }
            let document = try service.get("c/\(number)").get().document
            #expect(document?.fields == fields([("n", .integer(Int64(client.made)))]))
        }
    }

    @Test(arguments: 0..<60 as Range<UInt64>)
    func `Every batch is applied once`(_ seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let service = try ServiceUnderTest(window: Bool.random(using: &random) ? 300 : 1 << 20)
        defer { service.close() }
        let clients = (0..<3).map { WritingClient(service, "c/\($0)") }
        for _ in 0..<150 {
            let client = clients[Int.random(in: 0..<3, using: &random)]
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<4: try client.write()
            case 4: client.hangUp(inGoodOrder: Bool.random(using: &random))
            case 5: client.connect()
            // What the server says may come after the client has hung up.
            case 6: service.isClientReading = Bool.random(using: &random)
            case 7: _ = try service.runOnce()
            default: try service.run()
            }
            if !client.isConnected, Bool.random(using: &random) { client.connect() }
        }
        service.isClientReading = true
        for client in clients where !client.isConnected { client.connect() }
        try service.run()
        try Self.check(clients, service)
    }

    @Test(arguments: 0..<60 as Range<UInt64>)
    func `Every batch is applied once, though the server's process, its machine and its disk fail`(_ seed: UInt64)
        throws
    {
        var random = SeededRandom(seed: seed)
        let disk = SimulatedDisk(seed: seed)
        var service = try ServiceUnderTest(disk: disk, seed: seed)
        var lives: UInt64 = 1
        let clients = (0..<3).map { WritingClient(service, "c/\($0)", isServerMortal: true) }
        func restart() throws {
            for client in clients { client.loseConnection() }
            if Bool.random(using: &random) { disk.killProcess() } else { disk.crash() }
            disk.faults = SimulatedFaults()
            service.close()
            lives += 1
            service = try ServiceUnderTest(disk: disk, seed: seed &+ 1_000 * lives)
            for client in clients { client.move(to: service) }
        }
        for _ in 0..<200 {
            let client = clients[Int.random(in: 0..<3, using: &random)]
            switch Int.random(in: 0..<40, using: &random) {
            case 0..<18: try client.write()
            case 18..<21: client.hangUp(inGoodOrder: Bool.random(using: &random))
            case 21..<23: service.isClientReading = Bool.random(using: &random)
            case 23..<28: _ = try service.runOnce()
            // It may be the one that meets the fault.
            case 28: try? service.engine.store.checkpoint()
            case 29, 30: try restart()
            case 31: disk.faults.failedSyncs = 1
            default: try service.run()
            }
            if service.engine.logHasFailed, Int.random(in: 0..<8, using: &random) == 0 { try restart() }
            if !client.isConnected, Bool.random(using: &random) { client.connect() }
        }
        try restart()
        defer { service.close() }
        // Twice, since the server may not know of a stream on which nothing was written.
        for _ in 0..<2 {
            for client in clients where !client.isConnected { client.connect() }
            try service.run()
        }
        try Self.check(clients, service)
    }

    @Test func `On several threads, too, one connection writes at a time, and misses nothing`() async {
        var bounds = WriteStreamRecord.Bounds()
        bounds.answers = 10_000
        let record = WriteStreamRecord(id: "s", database: ServiceUnderTest.database, bounds: bounds) {}
        let start = record.nextPosition()
        let counts = Counts()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<100 {
                        let waiter = Waiter()
                        guard let owner = try? record.takeOver(after: start, fence: { waiter.go() }) else {
                            Issue.record("the start is known")
                            return
                        }
                        if !record.isSettled(for: owner, otherwise: { waiter.go() }) { await waiter.wait() }
                        let seen = try? record.answers(after: start, for: owner).count
                        guard record.begin(by: owner) else { continue }
                        #expect(counts.inFlight.add(1, ordering: .sequentiallyConsistent).newValue == 1)
                        #expect(seen == counts.applied.add(1, ordering: .sequentiallyConsistent).oldValue)
                        await Task.yield()
                        counts.inFlight.subtract(1, ordering: .sequentiallyConsistent)
                        let receipt = record.receipt(at: Timestamp(microseconds: 1)) { _ in [1] }
                        record.settleApplied(receipt.position)
                    }
                }
            }
        }
        #expect(counts.applied.load(ordering: .sequentiallyConsistent) > 0)
    }
}

private final class Counts: Sendable {
    let inFlight = Atomic(0)
    let applied = Atomic(0)
}

/// Waits until somebody says go, perhaps before.
private final class Waiter: Sendable {
    private let state = Mutex<(isGone: Bool, continuation: CheckedContinuation<Void, Never>?)>((false, nil))

    func go() {
        let continuation = self.state.withLock {
            $0.isGone = true
            return $0.continuation.take()
        }
        continuation?.resume()
    }

    func wait() async {
        await withCheckedContinuation { continuation in
            let isGone = self.state.withLock {
                if !$0.isGone { $0.continuation = continuation }
                return $0.isGone
            }
            if isGone { continuation.resume() }
        }
    }
}
