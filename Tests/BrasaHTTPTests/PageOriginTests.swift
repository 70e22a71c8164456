import BrasaHTTP2
import BrasaIdentity
import NIOCore
import NIOEmbedded
import NIOHTTP1
import Testing

@testable import BrasaHTTP

/// A browser sends what any page asks it to.
@Suite struct PageOriginTests {
    @Test(arguments: [
        ("http://localhost:3000", "127.0.0.1:8080", false), ("http://LOCALHOST", "db:1", false),
        ("http://127.0.0.1", "localhost", false), ("http://127.8.9.1:1", "x", false),
        ("http://[::1]:3", "[::1]", false),
        ("http://app.localhost:3000", "localhost:1", false), ("capacitor://localhost", "10.0.0.2:8080", false),
        ("http://10.0.0.2:3000", "10.0.0.2:8080", false), ("http://[fd00::2]:3", "[fd00::2]:8080", false),
        ("http://10.0.0.3:3000", "10.0.0.2:8080", true), ("https://a.example", "127.0.0.1:8080", true),
        // A name can be made to lead anywhere, to the server as well.
        ("http://a.example:8080", "a.example:8080", true), ("http://127.0.0.1.a.example", "127.0.0.1", true),
        ("http://127.a.b.c", "127.0.0.1", true), ("http://localhost.a.example", "localhost", true),
        ("http://notlocalhost", "localhost", true), ("http://localhost, http://a.example", "localhost", true),
        ("null", "localhost", true), ("", "", true), ("file://", "", true),
        ("chrome-extension://abc", "localhost", true),
    ])
    func `Pages of one's own machine and of the server's number are at home`(
        _ origin: String,
        _ host: String,
        _ isForeign: Bool
    ) {
        #expect(PageOrigin(origin, host: host).isForeign == isForeign)
    }

    @Test(
        arguments: [
            ([:], nil), (["sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors"], true),
            (["sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"], nil),
            (["sec-fetch-site": "same-site", "sec-fetch-mode": "no-cors"], nil), (["sec-fetch-site": "none"], nil),
            (["sec-fetch-site": "same-site", "sec-fetch-mode": "no-cors", "host": "a.example:1"], true),
            (["sec-fetch-site": "same-origin", "sec-fetch-mode": "cors"], true),
            (["sec-fetch-site": "cross-site", "origin": "http://localhost:3000"], false),
            (["sec-fetch-site": "same-origin", "origin": "https://a.example"], true),
        ] as [([String: String], Bool?)]
    )
    func `What a page has fetched without saying whose it is comes from elsewhere, but for links`(
        _ fields: [String: String],
        _ isForeign: Bool?
    ) {
        #expect(PageOrigin(host: fields["host"] ?? "localhost:1") { fields[$0] }?.isForeign == isForeign)
    }

    private static let requests: [(origin: String?, isAmbient: Bool, status: String)] = [
        (nil, true, "200"), ("http://localhost:3000", true, "200"), ("https://a.example", true, "403"),
        ("https://a.example", false, "200"),
    ]

    private static func door(isAmbient: Bool) -> HTTPDoor {
        let admission = Admission(.administrator, isAmbient: isAmbient)
        var router = HTTPRouter()
        router.get("/", for: .administrators) { HTTPAnswer(200, "Ok") }
        return HTTPDoor(router, .desk(recognize: { _ in admission }, identify: { _, _ in .admitted(admission) }))
    }

    @Test(arguments: Self.requests)
    func `A page from elsewhere is refused over version 1, unless it shows a token`(
        _ origin: String?,
        _ isAmbient: Bool,
        _ status: String
    ) throws {
        let channel = EmbeddedChannel()
        defer { _ = try? channel.finish(acceptAlreadyClosed: true) }
        try channel.pipeline.syncOperations.configureHTTPServerPipeline(withPipeliningAssistance: true)
        try channel.pipeline.syncOperations.addHandler(HTTP1RequestHandler(Self.door(isAmbient: isAmbient)))
        channel.connect(to: try SocketAddress(unixDomainSocketPath: "/line"), promise: nil)
        let field = origin.map { "origin: \($0)\r\n" } ?? ""
        try channel.writeInbound(ByteBuffer(string: "GET / HTTP/1.1\r\nhost: 127.0.0.1:8080\r\n\(field)\r\n"))
        channel.embeddedEventLoop.run()
        let head = try #require(try channel.readOutbound(as: ByteBuffer.self))
        #expect(String(buffer: head).hasPrefix("HTTP/1.1 \(status) "))
    }

    @Test(arguments: Self.requests)
    func `And over version 2`(_ origin: String?, _ isAmbient: Bool, _ status: String) throws {
        let line = try Line(Self.door(isAmbient: isAmbient))
        defer { line.close() }
        let response = Response()
        var headers = HTTP2Headers([
            (.method, "GET"), (.scheme, "http"), (.path, "/"), (.authority, "127.0.0.1:8080"),
        ])
        if let origin { headers.append("origin", origin) }
        let stream = try line.connection.openStream(response)
        stream.sendHeaders(headers, endStream: true)
        try line.run()
        #expect(response.status == status)
    }
}
