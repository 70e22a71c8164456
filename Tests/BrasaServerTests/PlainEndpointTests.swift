import BrasaDocuments
import BrasaMessages
import BrasaWire
import Logging
import Testing

@testable import BrasaServer

@Suite struct PlainEndpointTests {
    private static let clear = "/emulator/v1/projects/p/databases/(default)/documents"

    private func status(_ answer: String) -> Int? {
        answer.split(separator: " ").dropFirst().first.flatMap { Int($0) }
    }

    private func exchange(_ request: String, emulator: Bool = false) async throws -> String {
        let server = try await RunningServer(RunningServer.configuration { $0.emulator = emulator })
        let answer = try await server.exchange("\(request)\r\nhost: x\r\nconnection: close\r\n\r\n")
        try await server.stop()
        return answer
    }

    @Test func `The root answers Ok, to HEAD without the body`() async throws {
        let get = try await self.exchange("GET / HTTP/1.1")
        #expect(get.hasPrefix("HTTP/1.1 200 OK\r\n") && get.hasSuffix("\r\n\r\nOk\n"))
        let head = try await self.exchange("HEAD / HTTP/1.1")
        #expect(head.hasPrefix("HTTP/1.1 200 OK\r\n") && head.hasSuffix("\r\n\r\n"))
        #expect(head.contains("content-length: 3\r\n"))
    }

    @Test(arguments: [
        ("GET /?x=1 HTTP/1.1", 200), ("POST / HTTP/1.1", 405), ("POST /metrics HTTP/1.1", 405),
        ("GET /elsewhere HTTP/1.1", 404),
        ("DELETE \(clear) HTTP/1.1", 403),
    ])
    func `Everything else is refused by its status`(_ request: String, _ expected: Int) async throws {
        #expect(self.status(try await self.exchange(request)) == expected)
    }

    @Test(arguments: [
        ("DELETE \(clear)", 200), ("DELETE \(clear)?x=1", 200), ("GET \(clear)", 404),
        ("DELETE /emulator/v1/projects/p/databases/%28default%29/documents", 200),
        ("DELETE /emulator/v1/projects/p/databases/%2/documents", 404),
        ("DELETE /emulator/v1/projects/p%2Fdatabases%2Fd/databases/d/documents", 404),
        ("DELETE \(clear)/", 404), ("DELETE \(clear)/c/x", 404),
    ])
    func `With --emulator a database can be cleared, and nothing else`(_ request: String, _ expected: Int) async throws
    {
        let answer = try await self.exchange("\(request) HTTP/1.1", emulator: true)
        #expect(self.status(answer) == expected)
        if expected == 200 { #expect(answer.hasSuffix("\r\n\r\n{}")) }
    }

    @Test func `The metrics are in the text format of Prometheus`() async throws {
        let answer = try await self.exchange("GET /metrics HTTP/1.1")
        #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n"))
        #expect(answer.contains("content-type: text/plain; version=0.0.4; charset=utf-8\r\n"))
        let page = Exposition(String(try #require(answer.split(separator: "\r\n\r\n").last)))
        #expect(page.problems == [] && page["brasa_listen_streams"] == 0)
        // Nobody is there but who asks.
        #expect(page["brasa_connection_bytes"] == 65536)
    }

    @Test func `Clearing deletes the documents, and leaves a line`() async throws {
        let lines = Recorded<String>()
        let logger = Logger(label: "test", factory: { _ in RecordingLogHandler(lines) })
        let server = try await RunningServer(RunningServer.configuration { $0.emulator = true }, logger: logger)
        let client = try await server.connect()
        let database = try DatabaseName(parsing: "projects/p/databases/(default)".utf8)
        let name = try DocumentName(parsing: "\(database.string)/documents/c/x".utf8)
        let commit = CommitRequest(database: database, writes: [Write(name: name, operation: .set(.empty))])
        _ = try await client.unary { $0.commit(commit, completion: $1) }
        let answer = try await server.exchange("DELETE \(Self.clear) HTTP/1.1\r\nconnection: close\r\n\r\n")
        #expect(self.status(answer) == 200)
        #expect(lines.list.contains("notice: the emulator's endpoint was asked to clear a database"))
        let found = try await client.stream {
            $0.batchGetDocuments(
                BatchGetDocumentsRequest(database: database, documents: [name]),
                received: $1,
                finished: $2
            )
        }
        guard case .missing = try #require(found.first?.result) else { return #expect(Bool(false)) }
        try await server.stop()
    }

    @Test func `One connection answers several requests, also pipelined ones, in order`() async throws {
        let server = try await RunningServer()
        let two = "GET / HTTP/1.1\r\n\r\nGET /elsewhere HTTP/1.1\r\n\r\nHEAD / HTTP/1.1\r\nconnection: close\r\n\r\n"
        let answer = try await server.exchange(two)
        let statuses = answer.split(separator: "HTTP/1.1 ").map { $0.prefix(3) }
        #expect(statuses == ["200", "404", "200"])
        try await server.stop()
    }

    @Test func `HTTP/1.0 is closed after its answer unless it asks to stay`() async throws {
        let server = try await RunningServer()
        let closed = try await server.exchange("GET / HTTP/1.0\r\n\r\n")
        #expect(closed.hasPrefix("HTTP/1.0 200 OK\r\n") && closed.contains("connection: close\r\n"))
        let kept = try await server.exchange("GET / HTTP/1.0\r\nconnection: keep-alive\r\n\r\n") { $0.contains("Ok\n") }
        #expect(kept.lowercased().contains("connection: keep-alive\r\n"))
        try await server.stop()
    }

    @Test func `What is no HTTP at all gets an answer or a closed connection`() async throws {
        let server = try await RunningServer()
        for text in ["\u{16}\u{3}\u{1}\u{0}\u{5}hello\r\n\r\n", "\r\n\r\n\r\n\r\nX\r\n\r\n", "GET\r\n\r\n"] {
            let answer = try await server.exchange(text)
            #expect(answer.isEmpty || self.status(answer) == 400)
        }
        try await server.stop()
    }
}
