import BrasaDocuments
import BrasaIdentity
import BrasaMessages
import BrasaQueries
import Testing

@testable import BrasaService

/// What many are told alike is made once, and encoded once by each door.
@Suite struct SharedResponseTests {
    private final class First {}
    private final class Second {}

    @Test func `Each encoding is made when it is first asked for, and kept`() {
        var encodings = SharedEncodings()
        var made: [String] = []
        for _ in 1...3 {
            _ = encodings.encoding {
                made.append("first")
                return First()
            }
            _ = encodings.encoding {
                made.append("second")
                return Second()
            }
        }
        #expect(made == ["first", "second"])
    }

    /// A listener's call that keeps what it is sent.
    private final class ListenerCall: CallTransport, @unchecked Sendable {
        // Tests stay on one thread.
        var shared: [SharedResponse<ListenResponse>] = []
        private(set) var status: Status?
        var hasOpenOutcome = false
        var isFinished: Bool { self.status != nil }
        var isWritable: Bool { !self.isFinished }
        func onCancel(_ observer: @escaping () -> Void) {}
        func hasRoom(for count: Int) -> Bool { !self.isFinished }
        func hold(_ count: Int) -> Bool { !self.isFinished }
        func refusal(toHold count: Int) -> Status? { nil }
        func countListeners(_ count: Int) -> Status? { nil }
        func pauseReading() {}
        func resumeReading() {}
        func flushIfMuch() {}
        func finish(_ status: Status) { self.status = status }
    }

    private static let door = Door<ListenerCall, ListenResponse>(
        send: { _, _ in 0 },
        sendShared: { call, response in call.shared.append(response) },
        respond: { _, _ in },
        respondOutcome: { _, _ in }
    )

    @Test func `Of one change all listeners of a query are sent the same two responses`() throws {
        let service = try ServiceUnderTest()
        defer { service.close() }
        let query = StructuredQuery(from: [.init(collectionID: "c")])
        let target = ListenTarget(id: 1, .query(try parent(), query))
        let calls = (1...100).map { _ in ListenerCall() }
        let observers = calls.map { service.service.listen(for: Self.door.call($0, by: .administrator)) }
        for observer in observers {
            let request = ListenRequest(database: ServiceUnderTest.database, change: .add(target))
            observer.received(request, byteCount: 64)
        }
        try service.run()
        for call in calls { call.shared = [] }
        try service.commit([try set("c/a")])
        #expect(calls.allSatisfy { $0.shared.count == 2 && $0.status == nil })
        #expect(Set(calls.flatMap(\.shared).map(ObjectIdentifier.init)).count == 2)
        for observer in observers { observer.cancelled() }
    }
}
