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

    @Test(arguments: [["123456789"], ["12345678", "9"], ["1234", "56789", "0"]])
    func `A body past the route's bound is told so`(_ parts: [String]) throws {
        #expect(try self.exchange("/echo", parts).hasPrefix("HTTP/1.1 413 "))
    }
}
