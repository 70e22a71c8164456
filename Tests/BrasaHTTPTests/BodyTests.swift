import BrasaHTTP2
import BrasaIdentity
import NIOCore
import NIOEmbedded
import NIOHTTP1
import Synchronization
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

    /// Answers when it is told to.
    private final class Later: Sendable {
        private let answers = Mutex<[@Sendable (HTTPAnswer) -> Void]>([])
        func add(_ answer: @escaping @Sendable (HTTPAnswer) -> Void) { self.answers.withLock { $0.append(answer) } }
        func answer() { self.answers.withLock { $0 }.forEach { $0(HTTPAnswer(200, "")) } }
        func drop() { self.answers.withLock { $0 = [] } }
    }

    /// How a body that is kept for its answer ends.
    enum BodyEnd: CaseIterable { case answered, answeredWhenGone, dropped }

    @Test(arguments: BodyEnd.allCases)
    func `Over version 1 a body counts until its answer, though nobody may wait for that`(_ end: BodyEnd) throws {
        let later = Later()
        var router = HTTPRouter()
        router.add(["POST"], "/long", for: .everybody, bodyBytesMax: 256 << 10) { _, answer in later.add(answer) }
        var door = HTTPDoor(router, .open)
        let budget = ByteBudget(bytesMax: 1 << 20)
        door.budget = budget
        let channel = EmbeddedChannel()
        defer { _ = try? channel.finish(acceptAlreadyClosed: true) }
        try channel.pipeline.syncOperations.configureHTTPServerPipeline(withPipeliningAssistance: true)
        try channel.pipeline.syncOperations.addHandler(HTTP1RequestHandler(door))
        channel.connect(to: try SocketAddress(unixDomainSocketPath: "/line"), promise: nil)
        let body = String(repeating: "x", count: 100_000)
        try channel.writeInbound(
            ByteBuffer(string: "POST /long HTTP/1.1\r\nhost: x\r\ncontent-length: 100000\r\n\r\n\(body)")
        )
        channel.embeddedEventLoop.run()
        #expect(budget.drawnBytes == 100_000)
        if end != .answered { channel.close(promise: nil) }
        channel.embeddedEventLoop.run()
        #expect(budget.drawnBytes == 100_000)
        if end == .dropped { later.drop() } else { later.answer() }
        channel.embeddedEventLoop.run()
        #expect(budget.drawnBytes == 0)
    }

    @Test(arguments: [false, true], BodyEnd.allCases)
    func `Over version 2 as well, and when its stream or its connection is gone`(
        _ isLineGone: Bool,
        _ end: BodyEnd
    ) throws {
        let later = Later()
        var router = HTTPRouter()
        router.add(["POST"], "/long", for: .everybody, bodyBytesMax: 256 << 10) { _, answer in later.add(answer) }
        let budget = ByteBudget(bytesMax: 1 << 20)
        let line = try Line(HTTPDoor(router, .open), budget: budget)
        defer { line.close() }
        let (stream, response) = try self.post("/long", 100_000, on: line)
        stream.finish()
        try line.run()
        #expect(budget.drawnBytes >= 100_000)
        if end != .answered {
            if isLineGone { line.close() } else { stream.reset(.cancel) }
            try line.run()
            #expect(response.closed != nil)
            #expect(budget.drawnBytes >= 100_000)
        }
        if end == .dropped { later.drop() } else { later.answer() }
        try line.run()
        #expect(budget.drawnBytes < 40_000)
        line.close()
        #expect(budget.drawnBytes == 0)
    }

    @Test func `Over version 2 what waits for its answer leaves less room for others`() throws {
        let later = Later()
        var router = HTTPRouter()
        router.add(["POST"], "/long", for: .everybody, bodyBytesMax: 256 << 10) { _, answer in later.add(answer) }
        let budget = ByteBudget(bytesMax: 1 << 20)
        let line = try Line(HTTPDoor(router, .open), budget: budget)
        defer { line.close() }
        for _ in 0..<8 {
            let (stream, response) = try self.post("/long", 200_000, on: line)
            if response.closed == nil { stream.finish() }
            try line.run()
            stream.reset(.cancel)
            try line.run()
        }
        #expect(budget.drawnBytes >= 400_000 && budget.drawnBytes < 1 << 20)
        later.answer()
        #expect(budget.drawnBytes < 40_000)
    }

    @Test func `A body far past every bound is answered before it is there, and then passed over`() throws {
        let channel = EmbeddedChannel()
        defer { _ = try? channel.finish(acceptAlreadyClosed: true) }
        try channel.pipeline.syncOperations.configureHTTPServerPipeline(withPipeliningAssistance: true)
        try channel.pipeline.syncOperations.addHandler(HTTP1RequestHandler(HTTPDoor(Self.router, .open)))
        channel.connect(to: try SocketAddress(unixDomainSocketPath: "/line"), promise: nil)
        try channel.writeInbound(
            ByteBuffer(string: "POST /echo HTTP/1.1\r\nhost: x\r\ncontent-length: \(4 << 20)\r\n\r\n")
        )
        for _ in 0..<3 { try channel.writeInbound(ByteBuffer(repeating: UInt8(ascii: "x"), count: 1 << 20)) }
        channel.embeddedEventLoop.run()
        var text = ""
        while let bytes = try channel.readOutbound(as: ByteBuffer.self) { text += String(buffer: bytes) }
        #expect(text.hasPrefix("HTTP/1.1 413 ") && text.contains("connection: close\r\n") && channel.isActive)
        try channel.writeInbound(ByteBuffer(repeating: UInt8(ascii: "x"), count: 1 << 20))
        channel.embeddedEventLoop.run()
        #expect(!channel.isActive)
    }

    @Test(arguments: [["123456789"], ["12345678", "9"], ["1234", "56789", "0"]])
    func `A body past the route's bound is told so`(_ parts: [String]) throws {
        #expect(try self.exchange("/echo", parts).hasPrefix("HTTP/1.1 413 "))
    }
}
