import BrasaDocuments
import BrasaGRPC
import BrasaSimulation
import BrasaWire
import Synchronization
import Testing

@testable import BrasaService

/// However often connections break, and wherever, every batch of a client is applied once.
@Suite struct WriteStreamModelTests {
    /// A client that goes by the rule: answers before that to the handshake are the front of its queue's, and nothing else
    /// was applied.
    private final class Client {
        private let service: ServiceUnderTest
        private let path: String
        private var queued = 0
        private var sent = 0
        private(set) var made = 0
        private(set) var complaint: String?
        private var id: UTF8Text = ""
        private var token: [UInt8] = []
        private var isReady = false
        private var stream: RequestStream<WriteRequest>?

        init(_ service: ServiceUnderTest, _ path: String) {
            self.service = service
            self.path = path
        }

        var isDone: Bool { self.queued == 0 }
        var isConnected: Bool { self.stream != nil }

        func write() throws {
            self.queued += 1
            self.made += 1
            try self.sendAll()
        }

        func connect() {
            self.isReady = false
            self.sent = 0
            // Who has hung up hears nothing.
            var isCurrent = { false }
            let stream = self.service.stub.write(
                received: { if isCurrent() { self.received($0) } },
                finished: { if isCurrent() { self.finished($0.status) } }
            )
            isCurrent = { [weak self] in self?.stream?.call === stream.call }
            self.stream = stream
            stream.send(WriteRequest(database: ServiceUnderTest.database, streamID: self.id, streamToken: self.token))
        }

        func hangUp(inGoodOrder: Bool) {
            guard let call = self.stream.take()?.call else { return }
            if inGoodOrder { call.halfClose() } else { call.cancel() }
        }

        private func sendAll() throws {
            guard self.isReady, let stream else { return }
            for _ in self.sent..<self.queued {
                stream.send(
                    WriteRequest(
                        database: ServiceUnderTest.database,
                        streamToken: self.token,
                        writes: [try increment(self.path)]
                    )
                )
            }
            self.sent = self.queued
        }

        private func received(_ response: WriteResponse) {
            self.token = response.streamToken
            if response.commitTime != nil {
                if self.queued == 0 { self.complaint = "an answer to nothing" }
                self.queued -= 1
                if self.isReady { self.sent -= 1 }
                return
            }
            if !self.id.bytes.isEmpty, response.streamID != self.id { self.complaint = "another stream" }
            self.id = response.streamID
            self.isReady = true
            do { try self.sendAll() } catch { self.complaint = "\(error)" }
        }

        private func finished(_ status: GRPCStatus) {
            self.complaint = "\(status)"
        }
    }

    @Test(arguments: 0..<60 as Range<UInt64>)
    func `Every batch is applied once`(_ seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let service = try ServiceUnderTest(window: Bool.random(using: &random) ? 300 : 1 << 20)
        defer { service.close() }
        let clients = (0..<3).map { Client(service, "c/\($0)") }
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
        for (number, client) in clients.enumerated() {
            #expect(client.complaint == nil)
            #expect(client.isDone)
            guard client.made > 0 else { continue }
            let document = try service.get("c/\(number)").get().document
            #expect(document?.fields == fields([("n", .integer(Int64(client.made)))]))
        }
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
                        guard let owner = record.takeOver(after: start, fence: { waiter.go() }) else {
                            Issue.record("the start is known")
                            return
                        }
                        if !record.isSettled(for: owner, otherwise: { waiter.go() }) { await waiter.wait() }
                        let seen = record.answers(after: start, for: owner)?.count
                        guard record.begin(by: owner) else { continue }
                        #expect(counts.inFlight.add(1, ordering: .sequentiallyConsistent).newValue == 1)
                        #expect(seen == counts.applied.add(1, ordering: .sequentiallyConsistent).oldValue)
                        await Task.yield()
                        counts.inFlight.subtract(1, ordering: .sequentiallyConsistent)
                        record.settle(record.nextPosition(), answer: [1])
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
