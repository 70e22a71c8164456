import BrasaHTTP2
import BrasaIdentity
import NIOCore
import NIOEmbedded
import NIOHTTP1
import Synchronization
import Testing

@testable import BrasaHTTP

/// Who asks, before anything is answered, over both versions of HTTP.
@Suite struct HTTPDoorTests {
    /// Answers when it is told to.
    private final class Desk: Sendable {
        let asked = Mutex<[Credentials]>([])
        private let waiting = Mutex<[@Sendable (Identification) -> Void]>([])

        var reception: Reception {
            .credentials { credentials, later in
                self.asked.withLock { $0.append(credentials) }
                self.waiting.withLock { $0.append(later) }
                return nil
            }
        }

        func repeatFirst(_ identification: Identification) {
            self.waiting.withLock { $0.first }?(identification)
        }

        func answer(_ identification: Identification) {
            for later in self.waiting.withLock({ $0 }) { later(identification) }
        }
    }

    private static let router: HTTPRouter = {
        var router = HTTPRouter()
        router.get("/", for: .administrators) { HTTPAnswer(200, "Ok") }
        return router
    }()

    private static let outcomes: [(Identification, Int)] = [
        (.caller(.administrator), 200), (.caller(.nobody), 403), (.refused, 401),
    ]

    @Test(arguments: outcomes)
    func `A request of version 1 waits for who asks`(_ identification: Identification, _ status: Int) throws {
        let desk = Desk()
        let channel = EmbeddedChannel()
        defer { _ = try? channel.finish(acceptAlreadyClosed: true) }
        try channel.pipeline.syncOperations.configureHTTPServerPipeline(withPipeliningAssistance: true)
        try channel.pipeline.syncOperations.addHandler(HTTP1RequestHandler(HTTPDoor(Self.router, desk.reception)))
        channel.connect(to: try SocketAddress(unixDomainSocketPath: "/line"), promise: nil)
        try channel.writeInbound(ByteBuffer(string: "GET / HTTP/1.1\r\nauthorization: Bearer t\r\n\r\n"))
        channel.embeddedEventLoop.run()
        #expect(try channel.readOutbound(as: ByteBuffer.self) == nil)
        #expect(desk.asked.withLock { $0 } == [Credentials(authorization: "Bearer t")])
        desk.answer(identification)
        channel.embeddedEventLoop.run()
        let head = try #require(try channel.readOutbound(as: ByteBuffer.self))
        #expect(String(buffer: head).hasPrefix("HTTP/1.1 \(status) "))
    }

    /// Of an administrator who may make one call a second, and has made those of an hour if it is spent. `/probe` is not
    /// counted.
    private static func bounded(isSpent: Bool) -> HTTPDoor {
        let share = CallerShare(CallerBounds(.init(callsPerSecond: 1)))
        if isSpent { _ = share.take(at: NIODeadline.now().uptimeNanoseconds + 3_600_000_000_000) }
        let admission = Admission(.administrator, share: share)
        var router = Self.router
        router.get("/probe", for: .everybody, isCounted: false) { HTTPAnswer(200, "Ok") }
        return HTTPDoor(router, .desk(recognize: { _ in admission }, identify: { _, _ in .admitted(admission) }))
    }

    private static let boundedRequests = [
        ("/", false, 200), ("/none", false, 404), ("/", true, 429), ("/none", true, 429), ("/probe", true, 200),
    ]

    @Test(arguments: boundedRequests)
    func `A request of version 1 counts for how often its caller may call, but for probes`(
        _ path: String,
        _ isSpent: Bool,
        _ status: Int
    ) throws {
        let channel = EmbeddedChannel()
        defer { _ = try? channel.finish(acceptAlreadyClosed: true) }
        try channel.pipeline.syncOperations.configureHTTPServerPipeline(withPipeliningAssistance: true)
        try channel.pipeline.syncOperations.addHandler(HTTP1RequestHandler(Self.bounded(isSpent: isSpent)))
        channel.connect(to: try SocketAddress(unixDomainSocketPath: "/line"), promise: nil)
        try channel.writeInbound(ByteBuffer(string: "GET \(path) HTTP/1.1\r\n\r\n"))
        channel.embeddedEventLoop.run()
        let head = String(buffer: try #require(try channel.readOutbound(as: ByteBuffer.self)))
        #expect(head.hasPrefix("HTTP/1.1 \(status) "))
        #expect(head.contains("retry-after: ") == (status == 429))
    }

    @Test(arguments: boundedRequests)
    func `A request of version 2 counts as well`(_ path: String, _ isSpent: Bool, _ status: Int) throws {
        let line = try Line(Self.bounded(isSpent: isSpent))
        defer { line.close() }
        let response = Response()
        let headers = HTTP2Headers([(.method, "GET"), (.scheme, "http"), (.path, path), (.authority, "x")])
        try line.connection.openStream(response).sendHeaders(headers, endStream: true)
        try line.run()
        #expect(response.status == "\(status)")
    }

    private static func headers(_ method: String) -> HTTP2Headers {
        HTTP2Headers([
            (.method, method), (.scheme, "http"), (.path, "/"), (.authority, "x"), (.authorization, "Bearer t"),
        ])
    }

    @Test(arguments: outcomes)
    func `A request of version 2 waits for who asks`(_ identification: Identification, _ status: Int) throws {
        let desk = Desk()
        let line = try Line(HTTPDoor(Self.router, desk.reception))
        defer { line.close() }
        let response = Response()
        let stream = try line.connection.openStream(response)
        stream.sendHeaders(Self.headers("GET"), endStream: true)
        try line.run()
        #expect(response.status == nil)
        #expect(desk.asked.withLock { $0 } == [Credentials(authorization: "Bearer t")])
        desk.answer(identification)
        try line.run()
        #expect(response.status == "\(status)")
        #expect(status != 200 || response.body == "Ok")
    }

    /// So that no two readers can take different ones of them for the caller's.
    @Test func `Several fields that say who asks are one that says nothing known`() throws {
        let desk = Desk()
        let channel = EmbeddedChannel()
        defer { _ = try? channel.finish(acceptAlreadyClosed: true) }
        try channel.pipeline.syncOperations.configureHTTPServerPipeline(withPipeliningAssistance: true)
        try channel.pipeline.syncOperations.addHandler(HTTP1RequestHandler(HTTPDoor(Self.router, desk.reception)))
        channel.connect(to: try SocketAddress(unixDomainSocketPath: "/line"), promise: nil)
        let fields = "authorization: Bearer t\r\nx: y\r\nAuthorization: Bearer u\r\n"
        try channel.writeInbound(ByteBuffer(string: "GET / HTTP/1.1\r\n\(fields)\r\n"))
        let line = try Line(HTTPDoor(Self.router, desk.reception))
        defer { line.close() }
        var headers = Self.headers("GET")
        headers.append("x", "y")
        headers.append(.authorization, "Bearer u")
        try line.connection.openStream(Response()).sendHeaders(headers, endStream: true)
        try line.run()
        let shown = Credentials(authorization: "Bearer t, Bearer u")
        #expect(desk.asked.withLock { $0 } == [shown, shown])
    }

    @Test(arguments: [("GET", "Ok"), ("HEAD", "")])
    func `Over version 2 a body is ignored, and HEAD is answered without one`(_ method: String, _ body: String) throws {
        let line = try Line(HTTPDoor(Self.router, .open))
        defer { line.close() }
        let response = Response()
        let stream = try line.connection.openStream(response)
        stream.sendHeaders(Self.headers(method))
        stream.sendData(ByteBuffer(string: "{}"))
        stream.finish()
        try line.run()
        #expect(response.status == "200" && response.body == body)
    }

    @Test func `Over version 2 a request that does not come whole is given up`() throws {
        let line = try Line(HTTPDoor(Self.router, .open, receiveTimeMax: .seconds(5)))
        defer { line.close() }
        let (whole, half) = (Response(), Response())
        let first = try line.connection.openStream(whole)
        first.sendHeaders(Self.headers("GET"))
        first.finish()
        try line.connection.openStream(half).sendHeaders(Self.headers("GET"))
        try line.run()
        #expect(whole.status == "200" && half.status == nil && half.closed == nil)
        line.loop.advanceTime(by: .seconds(5))
        try line.run()
        #expect(half.status == nil && half.closed == .resetByPeer(.cancel))
    }

    @Test func `A late second word on who asks changes nothing`() throws {
        let desk = Desk()
        let channel = EmbeddedChannel()
        defer { _ = try? channel.finish(acceptAlreadyClosed: true) }
        try channel.pipeline.syncOperations.configureHTTPServerPipeline(withPipeliningAssistance: true)
        try channel.pipeline.syncOperations.addHandler(HTTP1RequestHandler(HTTPDoor(Self.router, desk.reception)))
        channel.connect(to: try SocketAddress(unixDomainSocketPath: "/line"), promise: nil)
        try channel.writeInbound(ByteBuffer(string: "GET / HTTP/1.1\r\n\r\n"))
        channel.embeddedEventLoop.run()
        desk.answer(.caller(.administrator))
        channel.embeddedEventLoop.run()
        try channel.writeInbound(ByteBuffer(string: "GET / HTTP/1.1\r\n\r\n"))
        channel.embeddedEventLoop.run()
        while try channel.readOutbound(as: ByteBuffer.self) != nil {}
        desk.repeatFirst(.caller(.administrator))
        channel.embeddedEventLoop.run()
        #expect(desk.asked.withLock { $0.count } == 2)
        #expect(try channel.readOutbound(as: ByteBuffer.self) == nil)
    }

    @Test func `Over version 2 a body beyond the bound ends its stream, not its connection`() throws {
        let line = try Line(HTTPDoor(Self.router, .open))
        defer { line.close() }
        let response = Response()
        let stream = try line.connection.openStream(response)
        stream.sendHeaders(Self.headers("GET"))
        stream.sendData(ByteBuffer(repeating: 0, count: HTTPDoor.bodyBytesMax + 1))
        try line.run()
        #expect(response.status == nil && response.closed != nil)
        let next = Response()
        try line.connection.openStream(next).sendHeaders(Self.headers("GET"), endStream: true)
        try line.run()
        #expect(next.status == "200")
    }
}
