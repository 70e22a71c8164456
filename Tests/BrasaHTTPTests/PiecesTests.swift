import BrasaHTTP2
import BrasaIdentity
import NIOCore
import NIOEmbedded
import NIOHTTP1
import Synchronization
import Testing

@testable import BrasaHTTP

/// Routes of whole paths, and answers in pieces.
@Suite struct PiecesTests {
    /// Hands out what it was given, then waits until it is told to end.
    private final class Source: Sendable {
        let waiting = Mutex<[String]>(["one", "two"])
        let isOver = Mutex(false)
        let wake = Mutex<(@Sendable () -> Void)?>(nil)
        let stops = Mutex(0)

        let isEndless: Bool

        init(isEndless: Bool = false) {
            self.isEndless = isEndless
        }

        var pieces: HTTPPieces {
            HTTPPieces(
                isEndless: self.isEndless,
                start: { wake in self.wake.withLock { $0 = wake } },
                stop: { self.stops.withLock { $0 += 1 } },
                next: {
                    let text: String? = self.waiting.withLock { $0.isEmpty ? nil : $0.removeFirst() }
                    if let text { return .piece(Array(text.utf8)) }
                    return self.isOver.withLock { $0 } ? .end : .later
                }
            )
        }

        func add(_ text: String) {
            self.waiting.withLock { $0.append(text) }
            self.wake.withLock { $0 }?()
        }

        func end() {
            self.isOver.withLock { $0 = true }
            self.wake.withLock { $0 }?()
        }
    }

    private func router(_ source: Source) -> HTTPRouter {
        var router = HTTPRouter()
        var dialect = HTTPDialect()
        dialect.fieldNames = ["x-asked", "host"]
        router.add(["GET", "HEAD"], "/t/{*}.json", for: .everybody, dialect: dialect) { request, done in
            var answer = HTTPAnswer(200, request.parameters.joined(separator: "|"))
            let (asked, host) = (request.fields["x-asked"] ?? "-", request.fields["host"] ?? "-")
            answer.fields = [HTTPField("x-asked", "\(asked),\(host)")]
            if request.query == "pieces" { answer.pieces = source.pieces }
            done(answer)
        }
        return router
    }

    @Test func `Over version 1 pieces are chunks, and what ends them is told once`() throws {
        let source = Source()
        let channel = EmbeddedChannel()
        defer { _ = try? channel.finish(acceptAlreadyClosed: true) }
        try channel.pipeline.syncOperations.configureHTTPServerPipeline(withPipeliningAssistance: true)
        try channel.pipeline.syncOperations.addHandler(HTTP1RequestHandler(HTTPDoor(self.router(source), .open)))
        channel.connect(to: try SocketAddress(unixDomainSocketPath: "/line"), promise: nil)
        try channel.writeInbound(ByteBuffer(string: "GET /t/.json?pieces HTTP/1.1\r\nhost: h\r\nX-Asked: y\r\n\r\n"))
        channel.embeddedEventLoop.run()
        #expect(source.stops.withLock { $0 } == 0)
        source.end()
        channel.embeddedEventLoop.run()
        var text = ""
        while let bytes = try channel.readOutbound(as: ByteBuffer.self) { text += String(buffer: bytes) }
        #expect(text.contains("x-asked: y,h\r\n"))
        #expect(text.hasSuffix("3\r\none\r\n3\r\ntwo\r\n0\r\n\r\n"))
        #expect(source.stops.withLock { $0 } == 1)
    }

    @Test func `Over version 2 pieces are sent as they come, and a stream that goes stops them`() throws {
        let sources = [Source(), Source()]
        for (source, isReset) in zip(sources, [false, true]) {
            let line = try Line(HTTPDoor(self.router(source), .open))
            defer { line.close() }
            let response = Response()
            let stream = try line.connection.openStream(response)
            var headers = HTTP2Headers([
                (.method, "GET"), (.scheme, "http"), (.path, "/t/a/b.json?pieces"), (.authority, "h"),
            ])
            headers.append("x-asked", "y")
            stream.sendHeaders(headers, endStream: true)
            try line.run()
            #expect(response.body == "onetwo" && response.closed == nil)
            if isReset { stream.reset(.cancel) } else { source.end() }
            try line.run()
            #expect(response.closed != nil && source.stops.withLock { $0 } == 1)
        }
    }

    @Test func `Pieces of which none is wanted are told that they are over`() throws {
        let sources = [Source(), Source(), Source()]
        let channel = EmbeddedChannel()
        defer { _ = try? channel.finish(acceptAlreadyClosed: true) }
        _ = try self.open(channel, sources[0])
        try channel.writeInbound(ByteBuffer(string: "HEAD /t/.json?pieces HTTP/1.1\r\nhost: h\r\n\r\n"))
        channel.embeddedEventLoop.run()
        let line = try Line(HTTPDoor(self.router(sources[1]), .open))
        defer { line.close() }
        try line.connection.openStream(Response()).sendHeaders(
            HTTP2Headers([(.method, "HEAD"), (.scheme, "http"), (.path, "/t/a.json?pieces"), (.authority, "h")]),
            endStream: true
        )
        try line.run()
        // A client that has gone before it was answered.
        let waiting = Mutex<[@Sendable (HTTPAnswer) -> Void]>([])
        var router = HTTPRouter()
        router.add(["GET"], "/late", for: .everybody) { _, done in waiting.withLock { $0.append(done) } }
        let lateLine = try Line(HTTPDoor(router, .open))
        defer { lateLine.close() }
        let stream = try lateLine.connection.openStream(Response())
        stream.sendHeaders(
            HTTP2Headers([(.method, "GET"), (.scheme, "http"), (.path, "/late"), (.authority, "h")]),
            endStream: true
        )
        try lateLine.run()
        stream.reset(.cancel)
        try lateLine.run()
        var answer = HTTPAnswer(200, "")
        answer.pieces = sources[2].pieces
        let done = try #require(waiting.withLock { $0.popLast() })
        done(answer)
        #expect(sources.map { source in source.stops.withLock { $0 } } == [1, 1, 1])
    }

    @Test(arguments: [false, true])
    func `A server that stops ends what would go on for ever, and lets the rest end`(_ isEndless: Bool) throws {
        let source = Source(isEndless: isEndless)
        let line = try Line(HTTPDoor(self.router(source), .open))
        defer { line.close() }
        let response = Response()
        let stream = try line.connection.openStream(response)
        stream.sendHeaders(
            HTTP2Headers([(.method, "GET"), (.scheme, "http"), (.path, "/t/a.json?pieces"), (.authority, "h")]),
            endStream: true
        )
        try line.run()
        try line.drain()
        #expect((response.closed != nil) == isEndless)
        source.add("three")
        source.end()
        try line.run()
        #expect(response.body == (isEndless ? "onetwo" : "onetwothree") && response.closed != nil)
        #expect(source.stops.withLock { $0 } == 1)
    }

    @Test(arguments: [false, true])
    func `So it does over version 1`(_ isEndless: Bool) throws {
        let source = Source(isEndless: isEndless)
        let channel = EmbeddedChannel()
        defer { _ = try? channel.finish(acceptAlreadyClosed: true) }
        let handler = try self.open(channel, source)
        try channel.writeInbound(ByteBuffer(string: "GET /t/.json?pieces HTTP/1.1\r\nhost: h\r\n\r\n"))
        channel.embeddedEventLoop.run()
        channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
        handler.drain(channel)
        channel.embeddedEventLoop.run()
        #expect(channel.isActive != isEndless)
        source.add("three")
        source.end()
        channel.embeddedEventLoop.run()
        let text = try self.sent(channel)
        #expect(text.hasSuffix((isEndless ? "3\r\ntwo\r\n" : "5\r\nthree\r\n") + "0\r\n\r\n"))
        #expect(source.stops.withLock { $0 } == 1 && !channel.isActive)
    }

    @Test(
        arguments: [
            ("http://one.example.com/t/a.json", "a", "one.example.com"), ("/t/a.json", "a", "h"),
            ("HTTPS://One:9000/t/a/b.json?x", "a|b", "One:9000"),
        ]
    )
    func `A target with a host in front names that host's path`(
        _ target: String,
        _ body: String,
        _ host: String
    ) throws {
        let channel = EmbeddedChannel()
        defer { _ = try? channel.finish(acceptAlreadyClosed: true) }
        _ = try self.open(channel, Source())
        try channel.writeInbound(ByteBuffer(string: "GET \(target) HTTP/1.1\r\nhost: h\r\n\r\n"))
        channel.embeddedEventLoop.run()
        let text = try self.sent(channel)
        #expect(text.contains("x-asked: -,\(host)\r\n") && text.hasSuffix("\r\n\(body)"))
    }

    private func open(_ channel: EmbeddedChannel, _ source: Source) throws -> HTTP1RequestHandler {
        let handler = HTTP1RequestHandler(HTTPDoor(self.router(source), .open))
        try channel.pipeline.syncOperations.configureHTTPServerPipeline(withPipeliningAssistance: true)
        try channel.pipeline.syncOperations.addHandler(handler)
        channel.connect(to: try SocketAddress(unixDomainSocketPath: "/line"), promise: nil)
        return handler
    }

    private func sent(_ channel: EmbeddedChannel) throws -> String {
        var text = ""
        while let bytes = try channel.readOutbound(as: ByteBuffer.self) { text += String(buffer: bytes) }
        return text
    }

    @Test(
        arguments: [
            ("/t/.json", 200, ""), ("/t/a/b.json", 200, "a|b"), ("/t/a/.x.json", 200, "a|.x"),
            ("/t/a%2Fb/c.json", 200, "a/b|c"), ("/t/a", 404, nil), ("/t.json", 404, nil), ("/t/%FF.json", 404, nil),
        ] as [(String, Int, String?)]
    )
    func `A route may stand for all paths beneath that end alike`(_ path: String, _ status: Int, _ body: String?) {
        let box = Answers()
        self.router(Source()).answer(HTTPRequest(method: "GET", target: path, caller: .nobody)) { box.add($0) }
        #expect(box.first?.status == status)
        #expect(body == nil || box.first?.body == body)
    }

    private final class Answers: Sendable {
        private let all = Mutex<[HTTPAnswer]>([])
        func add(_ answer: HTTPAnswer) { self.all.withLock { $0.append(answer) } }
        var first: HTTPAnswer? { self.all.withLock { $0.first } }
    }
}
