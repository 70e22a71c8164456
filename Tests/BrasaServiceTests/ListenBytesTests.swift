import BrasaDocuments
import BrasaMessages
import BrasaQueries
import BrasaSimulation
import BrasaStore
import BrasaWatch
import BrasaWire
import NIOCore
import Testing

@testable import BrasaGRPC
@testable import BrasaGRPCDoor
@testable import BrasaService

/// How many bytes wait for clients that do not read.
@Suite struct ListenBytesTests {
    private func large(_ count: Int) -> Value { .string(UTF8Text(String(repeating: "x", count: count))) }

    @Test func `Streams with ids of their own share the bytes of a large document`() throws {
        let service = try ServiceUnderTest()
        defer { service.close() }
        let recorder = EventRecorder()
        let database = service.engine.store.database(ServiceUnderTest.database)
        let stream = service.watcher.open(database, sink: recorder)
        let collection = StructuredQuery(from: [.init(collectionID: "c")])
        for id in 1...20 as ClosedRange<Int32> {
            try stream.add(TargetRequest(id: id, selection: .query(try Query(collection, parent: try parent()))))
        }
        try service.run()
        try service.commit([try set("c/a", [("t", self.large(500_000))])])
        let document = try #require(recorder.documents.last)
        let responses = ListenResponses(database: ServiceUnderTest.database)
        var owned = 0
        var shared: Set<UnsafeRawPointer> = []
        for id in 1...20 as ClosedRange<Int32> {
            let message = responses.changed(document, [id], []).framed
            let bytes = message.bytes
            owned += bytes.start.readableBytes + (bytes.rest?.end.readableBytes ?? 0)
            bytes.rest?.shared.withUnsafeReadableBytes { if let base = $0.baseAddress { shared.insert(base) } }
            guard case .documentChange(let change) = try ListenResponse(decoding: message.payload) else {
                Issue.record("no change")
                continue
            }
            #expect(change.targetIDs == [id] && change.document.document == document.document)
        }
        #expect(owned < 20 * 64)
        #expect(shared.count == 1)
        stream.close()
    }

    /// Each takes one document, and no more of the commit.
    @Test func `Of a large commit a client that does not read has little waiting`() throws {
        let service = try ServiceUnderTest(window: 16 << 10)
        defer { service.close() }
        let listening = Listening(service)
        listening.add(try .collection(7))
        _ = try listening.take()
        service.isClientReading = false
        let store = service.engine.store
        let sent = service.watcher.counters.current.eventsSent
        let changes = try (0..<10).map { index in
            DocumentChange(
                database: store.database(ServiceUnderTest.database),
                path: try name("c/\(index)").path,
                outcome: .set(fields([("t", self.large(900_000))]), createTime: nil)
            )
        }
        _ = try store.apply(changes: changes, waiter: nil)
        try service.run()
        #expect(service.watcher.counters.current.eventsSent > sent)
        #expect(service.watcher.counters.current.eventsSent - sent <= 2)
        service.isClientReading = true
        let lines = try listening.take()
        #expect(lines.last == "SNAPSHOT" && lines.count(where: { $0 == "SNAPSHOT" }) == 1)
        #expect(listening.documents.count == 10)
    }
}

private final class EventRecorder: WatchSink {
    var documents: [WatchedDocument] = []
    var isWritable: Bool { true }

    func send(_ event: WatchEvent) {
        if case .documentChanged(let document, _, _) = event { self.documents.append(document) }
    }

    func flush() {}
}
