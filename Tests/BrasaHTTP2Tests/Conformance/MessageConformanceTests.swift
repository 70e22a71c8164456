import BrasaHTTP2
import NIOCore
import NIOEmbedded
import Testing

/// Section 8 of RFC 9113: what is a well-formed request, and a well-formed response.
@Suite struct MessageConformanceTests {
    typealias Frame = RawPeer.Frame
    typealias Its = Exchange.Stream
    typealias Fields = [(String, String)]

    static let request = RawPeer.requestFields

    private static func without(_ name: String) -> Fields { Self.request.filter { $0.0 != name } }

    private static func with(_ name: String, _ value: String) -> Fields {
        request.contains { $0.0 == name }
            ? request.map { $0.0 == name ? (name, value) : $0 } : request + [(name, value)]
    }

    private static func good(_ name: String, _ fields: Fields) -> Exchange {
        Exchange(name, .served(Its.idle), .headers(Its.idle, fields, end: true))
    }

    private static func malformed(_ name: String, _ fields: Fields) -> Exchange {
        Exchange(name, .streamError(Its.idle, .protocolError), .headers(Its.idle, fields, end: true))
    }

    static let fields = [
        good("8.2.1 any visible byte in a name", with("!#$%&'*+-.^_`|~09az", "x")),
        good("8.2.1 bytes above ASCII in a value", with("a", "é")),
        good("8.2.1 tabs and blanks within a value", with("a", "b \t c")),
        good("8.2.1 an empty value", with("a", "")),
        malformed("8.2.1 an empty name", request + [("", "x")]),
        malformed("8.2 a capital letter in a name", with("aB", "x")),
        malformed("8.2.1 a blank in a name", with("a b", "x")),
        malformed("8.2.1 a control character in a name", with("a\u{1}", "x")),
        malformed("8.2.1 DEL in a name", with("a\u{7f}", "x")),
        malformed("8.2.1 a byte above ASCII in a name", with("é", "x")),
        malformed("8.2.1 a colon in a name", with("a:b", "x")),
        malformed("8.2.1 NUL in a value", with("a", "b\0c")),
        malformed("8.2.1 LF in a value", with("a", "b\nc")),
        malformed("8.2.1 CR in a value", with("a", "b\rc")),
        malformed("8.2.1 a blank before a value", with("a", " b")),
        malformed("8.2.1 a blank behind a value", with("a", "b ")),
        malformed("8.2.1 a tab before a value", with("a", "\tb")),
        malformed("8.2.1 a tab behind a value", with("a", "b\t")),
        malformed("8.2.2 connection", with("connection", "close")),
        malformed("8.2.2 proxy-connection", with("proxy-connection", "keep-alive")),
        malformed("8.2.2 keep-alive", with("keep-alive", "1")),
        malformed("8.2.2 transfer-encoding", with("transfer-encoding", "chunked")),
        malformed("8.2.2 upgrade", with("upgrade", "h2c")),
        malformed("8.2.2 te with anything but trailers", with("te", "gzip")),
        good("8.2.2 te with trailers", with("te", "trailers")),
        good("8.2.3 cookies in several fields", request + [("cookie", "a=b"), ("cookie", "c=d")]),
    ]

    @Test(arguments: fields) func `Fields`(_ exchange: Exchange) throws { try exchange.run() }

    static let controlData = [
        malformed("8.3 an unknown pseudo header", request + [(":a", "b")]),
        malformed("8.3 :status in a request", request + [(":status", "200")]),
        malformed("8.3 a pseudo header behind a field", [("a", "b")] + request),
        malformed("8.3 :method twice", request + [(":method", "POST")]),
        malformed("8.3 :path twice", request + [(":path", "/")]),
        malformed("8.3 :scheme twice", request + [(":scheme", "http")]),
        malformed("8.3 :authority twice", request + [(":authority", "x")]),
        malformed("8.3.1 no :method", without(":method")),
        malformed("8.3.1 no :scheme", without(":scheme")),
        malformed("8.3.1 no :path", without(":path")),
        malformed("8.3.1 an empty :path", with(":path", "")),
        malformed("8.3.1 a :path that is neither absolute nor *", with(":path", "a")),
        malformed("8.3.1 * as the :path of something else than OPTIONS", with(":path", "*")),
        malformed("8.3.1 a blank in :method", with(":method", "PO ST")),
        malformed("8.3.1 an empty :method", with(":method", "")),
        malformed("8.3.1 LF in :path", with(":path", "/a\nb")),
        malformed("8.3.1 a scheme that is none", with(":scheme", "ht tp")),
        malformed("8.3.1 nothing at all", []),
        good("8.3.1 OPTIONS *", [(":method", "OPTIONS"), (":scheme", "http"), (":path", "*"), (":authority", "x")]),
        good("8.3.1 Host in the place of :authority", without(":authority") + [("host", "x")]),
        malformed("8.3.1 neither :authority nor Host", without(":authority")),
        good("8.5 CONNECT", [(":method", "CONNECT"), (":authority", "x:1")]),
        malformed("8.5 CONNECT with a :path", [(":method", "CONNECT"), (":authority", "x:1"), (":path", "/")]),
        malformed("8.5 CONNECT without :authority", [(":method", "CONNECT")]),
    ]

    @Test(arguments: controlData) func `Control data`(_ exchange: Exchange) throws { try exchange.run() }

    private static func body(_ name: String, _ length: String, _ frames: [Frame], isGood: Bool = false) -> Exchange {
        Exchange(
            name,
            isGood ? .served(Its.idle) : .streamError(Its.idle, .protocolError),
            [.headers(Its.idle, Self.with("content-length", length), end: frames.isEmpty)] + frames
        )
    }

    static let bodies = [
        body(
            "8.1.1 content-length is right",
            "3",
            [.data(Its.idle, [1]), .data(Its.idle, [2, 3], end: true)],
            isGood: true
        ),
        body("8.1.1 and is so with trailers", "1", [.data(Its.idle, [1]), .trailers(Its.idle)], isGood: true),
        body("8.1.1 and is so without a body", "0", [], isGood: true),
        body("8.1.1 too little DATA", "3", [.data(Its.idle, [1, 2], end: true)]),
        body("8.1.1 too little DATA before trailers", "3", [.data(Its.idle, [1, 2]), .trailers(Its.idle)]),
        body("8.1.1 too much DATA", "3", [.data(Its.idle, [1, 2, 3, 4])]),
        body("8.1.1 no DATA", "3", []),
        body("8.1.1 content-length is no number", "x", []),
        body("8.1.1 content-length is negative", "-1", []),
        body("8.1.1 content-length is two numbers", "1, 1", []),
        Exchange(
            "8.1.1 content-length twice",
            .streamError(Its.idle, .protocolError),
            .headers(Its.idle, request + [("content-length", "0"), ("content-length", "0")], end: true)
        ),
        Exchange("8.1 trailers", .fine, .trailers(Its.open)),
        Exchange(
            "8.1 trailers without END_STREAM",
            .streamError(Its.open, .protocolError),
            .trailers(Its.open, end: false)
        ),
        Exchange(
            "8.1 trailers with a pseudo header",
            .streamError(Its.open, .protocolError),
            .trailers(Its.open, [(":path", "/")])
        ),
        Exchange(
            "8.2 trailers with a capital letter",
            .streamError(Its.open, .protocolError),
            .trailers(Its.open, [("A", "b")])
        ),
        Exchange("8.1 trailers without fields", .fine, .block(Its.open, [])),
    ]

    @Test(arguments: bodies) func `Content and trailers`(_ exchange: Exchange) throws { try exchange.run() }

    /// Frames of a server in answer to a request on stream 1, and how that call ends; nil when the connection does.
    struct Answer: CustomTestStringConvertible, Sendable {
        var name: String
        var ending: HTTP2CloseReason?
        var code = HTTP2ErrorCode.protocolError
        var frames: [Frame]
        var testDescription: String { self.name }

        static func good(_ name: String, _ frames: Frame...) -> Self {
            Self(name: name, ending: .finished, frames: frames)
        }
        static func malformed(_ name: String, _ frames: Frame...) -> Self {
            Self(name: name, ending: .resetLocally(.protocolError), frames: frames)
        }
        static func fatal(_ name: String, _ code: HTTP2ErrorCode, _ frames: Frame...) -> Self {
            Self(name: name, ending: nil, code: code, frames: frames)
        }
    }

    static let ok: Frame = .headers(1, [(":status", "200")], end: false)

    static let answers: [Answer] = [
        .good("8.1 headers, content and trailers", ok, .data(1, [1]), .trailers(1)),
        .good("8.1 an informational response before", .headers(1, [(":status", "103")], end: false), ok, .trailers(1)),
        .malformed("8.1 an informational response that ends it", .headers(1, [(":status", "103")], end: true)),
        .malformed(
            "8.1.1 a content-length that is wrong",
            .headers(1, [(":status", "200"), ("content-length", "2")], end: true)
        ),
        .malformed("8.3.2 no :status", .headers(1, [("a", "b")], end: true)),
        .malformed("8.3.2 :status twice", .headers(1, [(":status", "200"), (":status", "200")], end: true)),
        .malformed("8.3.2 a :status of two digits", .headers(1, [(":status", "20")], end: true)),
        .malformed("8.3 :path in a response", .headers(1, [(":status", "200"), (":path", "/")], end: true)),
        .malformed("8.6 status 101", .headers(1, [(":status", "101")], end: false)),
        .malformed("8.2 a capital letter in a name", .headers(1, [(":status", "200"), ("A", "b")], end: true)),
        .fatal(
            "8.4 PUSH_PROMISE where push is off",
            .protocolError,
            Frame(type: 5, flags: 4, stream: 1, payload: [0, 0, 0, 2] + RawPeer.hpack(request))
        ),
        .fatal("6.5.2 ENABLE_PUSH of 1 from a server", .protocolError, .setting(2, 1)),
        .fatal(
            "5.1 HEADERS on a stream that nobody opened",
            .protocolError,
            .headers(2, [(":status", "200")], end: true)
        ),
        .fatal("8.1 DATA first", .protocolError, .data(1, [1])),
        .fatal("5.1 DATA on a stream that is yet to come", .protocolError, .data(3, [1])),
    ]

    @Test(arguments: answers) func `Responses`(_ answer: Answer) throws {
        let peer = try RawPeer(.client(HTTP2ClientConfiguration()))
        defer { peer.close() }
        let call = Recorder()
        call.stream = try peer.connection.openStream(call)
        call.stream?.sendHeaders(.request(), endStream: true)
        peer.run()
        peer.send(.settings, .settingsAck)
        for frame in answer.frames { peer.send(frame) }
        #expect(peer.channel.isActive == (answer.ending != nil))
        #expect(peer.goawayCode == (answer.ending == nil ? answer.code.rawValue : nil))
        #expect(call.closed == [answer.ending ?? .connectionClosed])
    }

    /// How a call of a client ends, and whether its server may know of it.
    enum CallEnding: CaseIterable, Sendable { case answered, resetByServer, cancelled }

    @Test(arguments: CallEnding.allCases)
    func `5.1 A server sends nothing behind the end of its side either`(_ ending: CallEnding) throws {
        for frame in [Frame.data(1, [1]), .trailers(1), .data(1, [], end: true)] {
            let peer = try RawPeer(.client(HTTP2ClientConfiguration()))
            defer { peer.close() }
            let call = Recorder()
            call.stream = try peer.connection.openStream(call)
            call.stream?.sendHeaders(.request(), endStream: true)
            peer.run()
            peer.send(.settings, .settingsAck)
            switch ending {
            case .answered: peer.send(.headers(1, [(":status", "200")], end: true))
            case .resetByServer: peer.send(.reset(1))
            case .cancelled: call.stream?.reset(.cancel)
            }
            peer.run()
            #expect(call.closed.count == 1)
            peer.send(.windowUpdate(1, 1), .reset(1))
            #expect(peer.channel.isActive)
            peer.send(frame)
            #expect(peer.goawayCode == 5 && !peer.channel.isActive)
        }
    }
}
