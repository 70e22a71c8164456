import Dispatch
import Foundation
import Synchronization
import Testing

@testable import BrasaFirestore

@Suite("Whoever follows calls from where they begin", .timeLimit(.minutes(1)))
struct CallTracerTests {
    private enum Request {
        @TaskLocal static var name: String?
    }

    /// Spans, each with what it has of its task, and how it ended.
    private final class Spans: Sendable {
        struct Span: Sendable {
            let method: String
            let request: String?
            var reports: [CallReport] = []
        }

        private let all = Mutex<[Span]>([])

        func begin(_ method: String) -> FirestoreSettings.CallObserver {
            let index = self.all.withLock { all in
                all.append(Span(method: method, request: Request.name))
                return all.count - 1
            }
            return { report in self.all.withLock { $0[index].reports.append(report) } }
        }

        func of(_ method: String) -> [Span] { self.all.withLock { $0.filter { $0.method == method } } }
        var everything: [Span] { self.all.withLock { $0 } }
    }

    private func client(port: Int, _ spans: Spans) -> Firestore {
        let settings = FirestoreSettings()
        settings.dispatchQueue = DispatchQueue(label: "handlers")
        settings.callTracer = { spans.begin($0) }
        let firestore = Firestore(projectID: "demo-test", settings: settings)
        firestore.useEmulator(withHost: "127.0.0.1", port: port)
        return firestore
    }

    @Test("A call begins in the task that asks for it, and is told of once when it has ended")
    func calls() async throws {
        let server = try await LocalServer()
        let spans = Spans()
        let firestore = self.client(port: server.port, spans)
        let cities = firestore.collection("cities")
        try await Request.$name.withValue("write") { try await cities.document("SF").setData(["n": 1]) }
        // The stream of writes is nobody's.
        #expect(spans.of("Write").map(\.request) == [nil])

        for name in ["a", "b"] {
            try await Request.$name.withValue(name) {
                _ = try await cities.document("SF").getDocument(source: .server)
                _ = try await cities.getDocuments(source: .server)
                _ = try await cities.count.getAggregation(source: .server)
                try await firestore.runTransaction { transaction in
                    let city = try await transaction.getDocument(cities.document("SF"))
                    transaction.updateData(["n": city["n"] as? Int ?? 0], forDocument: cities.document("SF"))
                }
            }
        }
        for method in ["BatchGetDocuments", "RunQuery", "RunAggregationQuery", "Commit"] {
            let found = spans.of(method)
            #expect(Set(found.map(\.request)) == ["a", "b"])
            #expect(found.allSatisfy { $0.reports.map(\.code) == [.OK] && $0.reports[0].method == method })
        }
        // What the cache answers is no call.
        let count = spans.everything.count
        _ = try await cities.document("SF").getDocument(source: .cache)
        #expect(spans.everything.count == count)

        try await firestore.terminate()
        try await server.stop()
        #expect(spans.everything.allSatisfy { $0.reports.count == 1 })
    }

    @Test("A bulk writer's calls are no task's, whoever adds to it first")
    func bulkWriter() async throws {
        let server = try await LocalServer()
        let spans = Spans()
        let firestore = self.client(port: server.port, spans)
        let writer = firestore.bulkWriter()
        for name in ["a", "b"] {
            try await Request.$name.withValue(name) {
                let receipt = try await writer.setData(["n": 1], forDocument: firestore.document("cities/\(name)"))
                await writer.flush()
                _ = try await receipt.updateTime()
            }
        }
        await writer.close()
        #expect(spans.of("BatchWrite").map(\.request) == [nil, nil])
        try await firestore.terminate()
        try await server.stop()
    }

    @Test("A read with a handler begins on the thread that passes it")
    func handlers() async throws {
        let server = try await LocalServer()
        let spans = Spans()
        let firestore = self.client(port: server.port, spans)
        await withCheckedContinuation { done in
            Request.$name.withValue("h") {
                firestore.document("cities/SF").getDocument(source: .server) { _, _ in done.resume() }
            }
        }
        #expect(spans.of("BatchGetDocuments").map(\.request) == ["h"])
        try await firestore.terminate()
        try await server.stop()
        #expect(spans.of("BatchGetDocuments").map(\.reports.count) == [1])
    }

    @Test("A stream that nobody needs any more while it waits for a token has taken its time")
    func unsentStream() async throws {
        let spans = Spans()
        let settings = FirestoreSettings()
        settings.dispatchQueue = DispatchQueue(label: "handlers")
        settings.host = "127.0.0.1:1"
        settings.isSSLEnabled = false
        settings.callTracer = { spans.begin($0) }
        settings.tokenProvider = { _ in
            try await Task.sleep(for: .seconds(600))
            return nil
        }
        let firestore = Firestore(projectID: "demo-test", settings: settings)
        let registration = firestore.document("cities/SF").addSnapshotListener { _, _ in }
        while spans.of("Listen").isEmpty { try await Task.sleep(for: .milliseconds(10)) }
        try await Task.sleep(for: .milliseconds(50))
        registration.remove()
        try await firestore.terminate()
        let ends = spans.of("Listen").flatMap(\.reports)
        #expect(ends.map(\.code) == [.cancelled] && ends.allSatisfy { $0.duration >= .milliseconds(40) })
    }

    @Test("What is given up before it is sent ends all the same")
    func unsent() async throws {
        let spans = Spans()
        // Nobody listens there.
        let firestore = self.client(port: 1, spans)
        try await firestore.disableNetwork()
        let document = firestore.document("cities/SF")
        await #expect(throws: NSError.self) { _ = try await document.getDocument(source: .server) }
        let cancelled = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            _ = try await document.getDocument(source: .server)
        }
        await #expect(throws: NSError.self) { try await cancelled.value }
        try await firestore.terminate()
        let ends = spans.of("BatchGetDocuments").flatMap(\.reports)
        #expect(ends.map(\.code) == [.cancelled, .cancelled] && ends.allSatisfy { $0.attempts == 0 })
    }
}
