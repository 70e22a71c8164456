import BrasaDocuments
import BrasaLog
import BrasaMeasures
import BrasaMessages
import BrasaWire
import Testing

@testable import BrasaServer

@Suite struct MetricsTests {
    private let database: DatabaseName

    init() throws {
        self.database = try DatabaseName(parsing: "projects/p/databases/(default)".utf8)
    }

    private func page(of server: RunningServer) async throws -> Exposition {
        let answer = try await server.exchange("GET /metrics HTTP/1.1\r\nconnection: close\r\n\r\n")
        let parts = answer.split(separator: "\r\n\r\n", maxSplits: 1)
        #expect(parts.count == 2 && parts[0].contains("content-type: text/plain; version=0.0.4; charset=utf-8"))
        return Exposition(String(parts.last ?? ""))
    }

    private func commit(_ client: Client, _ id: String, _ operation: Write.Operation = .set(.empty)) async throws {
        let name = try DocumentName(parsing: "\(self.database.string)/documents/\(id)".utf8)
        let request = CommitRequest(database: self.database, writes: [Write(name: name, operation: operation)])
        _ = try await client.unary { $0.commit(request, completion: $1) }
    }

    @Test func `The page is strict Prometheus text, before anything has happened and after`() async throws {
        let folder = try TemporaryFolder()
        let server = try await RunningServer(
            RunningServer.configuration {
                $0.durability = .os
                $0.dataDirectory = folder.path
            }
        )
        let before = try await self.page(of: server)
        #expect(before.problems == [])
        #expect(before["brasa_listen_streams"] == 0 && before["brasa_commits_total"] == 0)
        let client = try await server.connect()
        for number in 0..<5 { try await self.commit(client, "c/\(number)") }
        await #expect(throws: (any Error).self) {
            let request = GetDocumentRequest(
                name: try DocumentName(parsing: "\(self.database.string)/documents/c/none".utf8)
            )
            _ = try await client.unary { $0.getDocument(request, completion: $1) }
        }
        let page = try await self.page(of: server)
        #expect(page.problems == [])
        let commits = ["service": "google.firestore.v1.Firestore", "method": "Commit", "status": "OK"]
        #expect(page["brasa_call_duration_seconds_count", commits] == 5)
        let reads = ["service": "google.firestore.v1.Firestore", "method": "GetDocument", "status": "NOT_FOUND"]
        #expect(page["brasa_call_duration_seconds_count", reads] == 1)
        #expect(page["brasa_calls_started_total"] == 6 && page["brasa_calls_in_flight"] == 0)
        #expect(page["brasa_commits_total"] == 5 && page["brasa_changes_total"] == 5)
        // The record of the store's creation is one, too.
        #expect(page["brasa_log_group_records_sum"] == 6)
        #expect(page["brasa_log_sync_seconds_count"] == page["brasa_log_group_bytes_count"])
        #expect(page["brasa_documents"] == 5 && page["brasa_watermark_lag_seconds"] == 0)
        #expect((page["brasa_memory_bytes", ["part": "documents"]] ?? 0) > 5 * 128)
        let indexes = ["ready", "building", "does_not_fit", "abandoned"].map { page["brasa_indexes", ["state": $0]] }
        #expect(indexes.allSatisfy { $0 == 0 } && page["brasa_index_memory_max_bytes"] == Double(1 << 30))
        // The connection of the first page may not be gone yet.
        #expect((page["brasa_connections"] ?? 0) >= 2 && page["brasa_connections_accepted_total"] == 3)
        #expect((page["process_resident_memory_bytes"] ?? 0) > 1_000_000)
        try await server.stop()
    }

    @Test func `A bound of memory shows, and what it refuses is counted`() async throws {
        let server = try await RunningServer(
            RunningServer.configuration {
                $0.connectionBytesMax = 16 << 20
                $0.memoryBytesMax = (16 << 20) + 64_000
            }
        )
        let client = try await server.connect()
        var refused: (any Error)?
        var count = 0
        while refused == nil, count < 1_000 {
            do {
                try await self.commit(client, "c/\(count)")
                count += 1
            } catch {
                refused = error
            }
        }
        #expect("\(try #require(refused))".contains("--max-memory"))
        let page = try await self.page(of: server)
        #expect(page.problems == [])
        #expect(page["brasa_memory_full"] == 1 && page["brasa_commits_refused_total", ["reason": "memory"]] == 1)
        let parts = ["documents", "history", "indexes", "trees", "connections"].compactMap {
            page["brasa_memory_bytes", ["part": $0]]
        }
        let bytesMax = try #require(page["brasa_memory_max_bytes"])
        #expect(parts.count == 5 && parts.reduce(0, +) <= bytesMax && parts.reduce(0, +) > bytesMax - 1_000)
        // What only deletes is taken.
        try await self.commit(client, "c/0", .delete)
        try await server.stop()
    }

    @Test func `Label values are escaped, and seconds are written as such`() {
        var page = MetricsPage()
        page.gauges("brasa_x", "Of a test.", by: "y", [("a\"b\\c\nd", 1)])
        #expect(page.text.hasSuffix("brasa_x{y=\"a\\\"b\\\\c\\nd\"} 1\n"))
        var values = HistogramValues(.durations)
        let histogram = Histogram(.durations)
        histogram.record(2_000)
        values += histogram.values
        page.histogram("brasa_z_seconds", "Of a test.", values)
        #expect(page.text.contains("brasa_z_seconds_bucket{le=\"0.001\"} 0\n"))
        #expect(page.text.contains("brasa_z_seconds_bucket{le=\"0.0025\"} 1\n"))
        #expect(page.text.hasSuffix("brasa_z_seconds_sum 0.002\nbrasa_z_seconds_count 1\n"))
    }
}
