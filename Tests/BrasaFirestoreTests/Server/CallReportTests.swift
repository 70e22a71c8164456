import Dispatch
import Foundation
import Synchronization
import Testing

@testable import BrasaFirestore

@Suite("Reports of calls", .timeLimit(.minutes(1)))
struct CallReportTests {
    private final class Reports: Sendable {
        private let all = Mutex<[CallReport]>([])

        func take(_ report: CallReport) { self.all.withLock { $0.append(report) } }

        func of(_ method: String) -> [CallReport] { self.all.withLock { $0.filter { $0.method == method } } }
    }

    private func client(port: Int, _ reports: Reports) -> Firestore {
        let settings = FirestoreSettings()
        settings.dispatchQueue = DispatchQueue(label: "handlers")
        settings.callObserver = { reports.take($0) }
        let firestore = Firestore(projectID: "demo-test", settings: settings)
        firestore.useEmulator(withHost: "127.0.0.1", port: port)
        return firestore
    }

    @Test("Each call and each stream is reported once, when it has ended")
    func calls() async throws {
        let server = try await LocalServer()
        let reports = Reports()
        let firestore = self.client(port: server.port, reports)
        let city = firestore.document("cities/SF")
        try await city.setData(["population": 860_000])
        #expect(reports.of("Write").isEmpty)
        for _ in 0..<3 { _ = try await city.getDocument(source: .server) }
        let reads = reports.of("BatchGetDocuments")
        #expect(reads.count == 3)
        for read in reads {
            #expect(read.code == .OK && read.message.isEmpty && read.attempts == 1 && read.duration > .zero)
        }
        _ = try await city.getDocument(source: .cache)
        #expect(reports.of("BatchGetDocuments").count == 3)

        let query = firestore.collection("cities").whereField("population", isGreaterThan: 0)
        await #expect(throws: NSError.self) {
            try await query.getDocuments(readTime: Timestamp(seconds: 1, nanoseconds: 0))
        }
        let refused = reports.of("RunQuery")
        #expect(refused.count == 1 && refused.first?.code != .OK && refused.first?.message.isEmpty == false)

        try await firestore.terminate()
        try await server.stop()
        #expect(reports.of("Write").count == 1)
    }

    @Test("A call that finds no server is reported, too")
    func unreachable() async throws {
        let reports = Reports()
        // Nobody listens there.
        let firestore = self.client(port: 1, reports)
        let query = firestore.collection("cities").whereField("population", isGreaterThan: 0)
        await #expect(throws: NSError.self) { try await query.getDocuments(readTime: Timestamp(date: Date())) }
        let report = try #require(reports.of("RunQuery").first)
        #expect(report.code == .unavailable && report.attempts > 0 && !report.message.isEmpty)
        try await firestore.terminate()
    }
}
