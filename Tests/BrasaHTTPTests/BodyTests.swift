import BrasaHTTP2
import BrasaIdentity
import NIOCore
import NIOEmbedded
import NIOHTTP1
import Testing

@testable import BrasaHTTP

/// Bodies, where a route wants them.
@Suite struct BodyTests {
    private static let router: HTTPRouter = {
        var router = HTTPRouter()
        router.add(["POST"], "/echo", for: .everybody, bodyBytesMax: 8) { request, answer in
            var echo = HTTPAnswer(200, String(decoding: request.body, as: UTF8.self))
            echo.isSecret = true
            answer(echo)
        }
        router.add(["POST"], "/deaf", for: .everybody) { request, answer in
            answer(HTTPAnswer(200, "\(request.body.count)"))
        }
        return router
    }()

    private func exchange(_ path: String, _ parts: [String]) throws -> String {
        let channel = EmbeddedChannel()
        defer { _ = try? channel.finish(acceptAlreadyClosed: true) }
        try channel.pipeline.syncOperations.configureHTTPServerPipeline(withPipeliningAssistance: true)
        try channel.pipeline.syncOperations.addHandler(HTTP1RequestHandler(HTTPDoor(Self.router, .open)))
        channel.connect(to: try SocketAddress(unixDomainSocketPath: "/line"), promise: nil)
        let length = parts.reduce(0) { $0 + $1.utf8.count }
        try channel.writeInbound(
            ByteBuffer(string: "POST \(path) HTTP/1.1\r\nhost: x\r\ncontent-length: \(length)\r\n\r\n")
        )
        for part in parts { try channel.writeInbound(ByteBuffer(string: part)) }
        channel.embeddedEventLoop.run()
        var text = ""
        while let bytes = try channel.readOutbound(as: ByteBuffer.self) { text += String(buffer: bytes) }
        return text
    }

    @Test func `A route has the body that it asks for, and others none`() throws {
        let answer = try self.exchange("/echo", ["1234", "5678"])
        #expect(answer.hasPrefix("HTTP/1.1 200 ") && answer.hasSuffix("\r\n12345678"))
        #expect(answer.contains("cache-control: no-store\r\n"))
        let deaf = try self.exchange("/deaf", ["1234"])
        #expect(deaf.hasSuffix("\r\n0") && !deaf.contains("cache-control"))
    }

    // MARK: Over version 2

    /// A request with so many bytes; its end is still to come.
    private func post(_ path: String, _ count: Int, on line: Line) throws -> (stream: HTTP2Stream, response: Response) {
        let response = Response()
        let stream = try line.connection.openStream(response)
        stream.sendHeaders(
            HTTP2Headers([(.method, "POST"), (.scheme, "http"), (.path, path), (.authority, "x")])
        )
        stream.sendData(ByteBuffer(repeating: UInt8(ascii: "x"), count: count))
        try line.run()
        return (stream, response)
    }

    @Test func `Over version 2 a route has the body that it asks for, and is told when there is more`() throws {
        let line = try Line(HTTPDoor(Self.router, .open))
        defer { line.close() }
        let cases: [(path: String, count: Int, status: String, body: String?)] = [
            ("/echo", 8, "200", "xxxxxxxx"), ("/echo", 9, "413", nil), ("/deaf", 9, "200", "0"),
        ]
        for (path, count, status, body) in cases {
            let (stream, response) = try self.post(path, count, on: line)
            stream.finish()
            try line.run()
            #expect(response.status == status)
            #expect(body == nil || response.body == body)
        }
    }

    @Test func `What is kept of bodies is counted until their streams are gone, and bounded`() throws {
        var router = HTTPRouter()
        router.add(["POST"], "/long", for: .everybody, bodyBytesMax: 256 << 10) { request, answer in
            answer(HTTPAnswer(200, "\(request.body.count)"))
        }
        let budget = ByteBudget(bytesMax: 1 << 20)
        let line = try Line(HTTPDoor(router, .open), budget: budget)
        let (stream, response) = try self.post("/long", 200_000, on: line)
        #expect(budget.drawnBytes >= 200_000)
        stream.finish()
        try line.run()
        #expect(response.body == "200000")
        #expect(budget.drawnBytes < 100_000)
        // One connection has half of the budget at most.
        let others = try (0..<4).map { _ in try self.post("/long", 200_000, on: line) }
        #expect(others.filter { $0.response.closed == nil }.count == 2)
        #expect(others.contains { $0.response.closed == .resetByPeer(.enhanceYourCalm) })
        #expect(budget.drawnBytes <= 1 << 19)
        line.close()
        #expect(budget.drawnBytes == 0)
    }

    @Test(arguments: [["123456789"], ["12345678", "9"], ["1234", "56789", "0"]])
    func `A body past the route's bound is told so`(_ parts: [String]) throws {
        #expect(try self.exchange("/echo", parts).hasPrefix("HTTP/1.1 413 "))
    }
}
