import BrasaHTTP2
import NIOCore
import NIOEmbedded
import Testing

/// Section 6 of RFC 9113, frame by frame.
@Suite struct FrameDefinitionTests {
    typealias Frame = RawPeer.Frame
    typealias Its = Exchange.Stream

    static let request = RawPeer.hpack(RawPeer.requestFields)

    static let data = [
        Exchange("6.1 DATA", .fine, .data(Its.open, [1, 2])),
        Exchange("6.1 on stream 0", .connectionError(.protocolError), .data(0, [1])),
        Exchange("6.1 padded", .fine, Frame(type: 0, flags: 8, stream: Its.open, payload: [2, 1, 0, 0])),
        Exchange("6.1 nothing but padding", .fine, Frame(type: 0, flags: 8, stream: Its.open, payload: [2, 0, 0])),
        Exchange(
            "6.1 padding as long as the payload",
            .connectionError(.protocolError),
            Frame(type: 0, flags: 8, stream: Its.open, payload: [3, 0, 0])
        ),
        // FRAME_SIZE_ERROR in the RFC; the library takes it for padding that is too long.
        Exchange(
            "6.1 no room for the padding's length",
            .connectionError(.protocolError),
            Frame(type: 0, flags: 8, stream: Its.open)
        ),
    ]

    @Test(arguments: data) func `DATA`(_ exchange: Exchange) throws { try exchange.run() }

    static let headers = [
        Exchange("6.2 padded", .served(Its.idle), .block(Its.idle, [2] + request + [0, 0], flags: 0xd)),
        Exchange(
            "6.2 with a priority",
            .served(Its.idle),
            .block(Its.idle, [0, 0, 0, 0, 16] + request, flags: 0x25)
        ),
        Exchange(
            "6.2 padding longer than the payload",
            .connectionError(.protocolError),
            .block(Its.idle, [255] + request, flags: 0xd)
        ),
        Exchange("6.2 no room for the priority", .connectionError(.frameSizeError), .block(Its.idle, [0], flags: 0x25)),
        Exchange("6.2 trailers", .fine, .trailers(Its.open)),
    ]

    @Test(arguments: headers) func `HEADERS`(_ exchange: Exchange) throws { try exchange.run() }

    static let streamFrames = [
        Exchange("6.3 PRIORITY on stream 0", .connectionError(.protocolError), .priority(0)),
        Exchange(
            "6.3 PRIORITY of 4 bytes",
            .connectionError(.frameSizeError),
            Frame(type: 2, stream: Its.open, payload: [0, 0, 0, 0])
        ),
        Exchange("6.4 RST_STREAM on stream 0", .connectionError(.protocolError), .reset(0)),
        Exchange(
            "6.4 RST_STREAM of 3 bytes",
            .connectionError(.frameSizeError),
            Frame(type: 3, stream: Its.open, payload: [0, 0, 0])
        ),
        Exchange(
            "6.4 RST_STREAM of 5 bytes",
            .connectionError(.frameSizeError),
            Frame(type: 3, stream: Its.open, payload: [0, 0, 0, 0, 0])
        ),
        Exchange("6.4 RST_STREAM with a code that nobody knows", .fine, .reset(Its.open, 0xfeed)),
        Exchange(
            "6.6 PUSH_PROMISE from a client",
            .connectionError(.protocolError),
            Frame(type: 5, flags: 4, stream: Its.open, payload: [0, 0, 0, 2] + request)
        ),
    ]

    @Test(arguments: streamFrames) func `PRIORITY, RST_STREAM and PUSH_PROMISE`(_ exchange: Exchange) throws {
        try exchange.run()
    }

    static let settings = [
        Exchange(
            "6.5 on a stream",
            .connectionError(.protocolError),
            Frame(type: 4, stream: Its.open)
        ),
        Exchange(
            "6.5 an acknowledgement with content",
            .connectionError(.frameSizeError),
            Frame(type: 4, flags: 1, payload: [0, 4, 0, 0, 0, 0])
        ),
        Exchange(
            "6.5 five bytes",
            .connectionError(.frameSizeError),
            Frame(type: 4, payload: [0, 4, 0, 0, 0])
        ),
        Exchange("6.5.2 ENABLE_PUSH of 1", .fine, .setting(2, 1)),
        Exchange("6.5.2 ENABLE_PUSH of 2", .connectionError(.protocolError), .setting(2, 2)),
        Exchange("6.5.2 HEADER_TABLE_SIZE without bound", .fine, .setting(1, .max)),
        Exchange("6.5.2 HEADER_TABLE_SIZE of 0", .fine, .setting(1, 0)),
        Exchange("6.5.2 INITIAL_WINDOW_SIZE of 2^31 - 1", .fine, .setting(4, 0x7fff_ffff)),
        Exchange("6.5.2 INITIAL_WINDOW_SIZE of 2^31", .connectionError(.flowControlError), .setting(4, 0x8000_0000)),
        Exchange("6.5.2 MAX_FRAME_SIZE of 2^14", .fine, .setting(5, 1 << 14)),
        Exchange("6.5.2 MAX_FRAME_SIZE of 2^14 - 1", .connectionError(.protocolError), .setting(5, (1 << 14) - 1)),
        Exchange("6.5.2 MAX_FRAME_SIZE of 2^24 - 1", .fine, .setting(5, (1 << 24) - 1)),
        Exchange("6.5.2 MAX_FRAME_SIZE of 2^24", .connectionError(.protocolError), .setting(5, 1 << 24)),
        Exchange("6.5.2 MAX_CONCURRENT_STREAMS of 0", .fine, .setting(3, 0)),
        Exchange("6.5.2 a setting that nobody knows", .fine, .setting(0xbe, 7)),
        // An error of the connection in the RFC; the library gives up that stream.
        Exchange(
            "6.9.2 INITIAL_WINDOW_SIZE that makes a stream's window too large",
            .streamError(Its.open, .flowControlError),
            .windowUpdate(Its.open, 0x7fff_ffff - 65_535),
            .setting(4, 65_536)
        ),
        Exchange("6.9.2 INITIAL_WINDOW_SIZE that makes one negative", .fine, .setting(4, 0)),
    ]

    @Test(arguments: settings) func `SETTINGS`(_ exchange: Exchange) throws { try exchange.run() }

    static let pings = [
        Exchange(
            "6.7 on a stream",
            .connectionError(.protocolError),
            Frame(type: 6, stream: 1, payload: Frame.ping.payload)
        ),
        Exchange(
            "6.7 seven bytes",
            .connectionError(.frameSizeError),
            Frame(type: 6, payload: Array(repeating: 0, count: 7))
        ),
        Exchange(
            "6.7 nine bytes",
            .connectionError(.frameSizeError),
            Frame(type: 6, payload: Array(repeating: 0, count: 9))
        ),
        Exchange("6.7 an answer to nothing", .fine, Frame(type: 6, flags: 1, payload: Frame.ping.payload)),
        Exchange(
            "6.8 GOAWAY on a stream",
            .connectionError(.protocolError),
            Frame(type: 7, stream: 1, payload: Array(repeating: 0, count: 8))
        ),
        Exchange(
            "6.8 GOAWAY of seven bytes",
            .connectionError(.frameSizeError),
            Frame(type: 7, payload: Array(repeating: 0, count: 7))
        ),
        Exchange(
            "6.8 GOAWAY that takes back an earlier one",
            .connectionError(.protocolError),
            .goaway(last: 0),
            .goaway(last: 2)
        ),
    ]

    @Test(arguments: pings) func `PING and GOAWAY`(_ exchange: Exchange) throws { try exchange.run() }

    @Test func `6.8 Requests in flight are answered after the client's GOAWAY`() throws {
        let recorders = RecorderList()
        let peer = try RawPeer(.server(HTTP2ServerConfiguration(), acceptor: recorders.accept))
        defer { peer.close() }
        peer.greet()
        peer.send(.request(1), .goaway(last: 0))
        #expect(peer.channel.isActive)
        recorders.all[0].echo()
        peer.run()
        #expect(peer.frames.contains { $0.type == 1 && $0.stream == 1 && $0.flags & 1 == 1 })
        #expect(!peer.channel.isActive)
    }

    static let windows = [
        Exchange("6.9 of three bytes", .connectionError(.frameSizeError), Frame(type: 8, payload: [0, 0, 1])),
        Exchange("6.9 by 0 on the connection", .connectionError(.protocolError), .windowUpdate(0, 0)),
        Exchange("6.9 by 0 on a stream", .connectionError(.protocolError), .windowUpdate(Its.open, 0)),
        Exchange("6.9 with the reserved bit", .fine, .windowUpdate(Its.open, 0x8000_0001)),
        Exchange("6.9.1 to 2^31 - 1 on the connection", .fine, .windowUpdate(0, 0x7fff_ffff - 65_535)),
        Exchange(
            "6.9.1 beyond it on the connection",
            .connectionError(.flowControlError),
            .windowUpdate(0, 0x7fff_ffff - 65_534)
        ),
        Exchange("6.9.1 to 2^31 - 1 on a stream", .fine, .windowUpdate(Its.open, 0x7fff_ffff - 65_535)),
        Exchange(
            "6.9.1 beyond it on a stream",
            .streamError(Its.open, .flowControlError),
            .windowUpdate(Its.open, 0x7fff_ffff - 65_534)
        ),
    ]

    @Test(arguments: windows) func `WINDOW_UPDATE`(_ exchange: Exchange) throws { try exchange.run() }

    @Test(arguments: [0, 200]) func `6.9.1 More DATA than the window is an error, padding included`(padding: Int) throws
    {
        var configuration = HTTP2ServerConfiguration()
        configuration.limits.streamWindowBytes = 100_000
        let recorders = RecorderList()
        let peer = try RawPeer(.server(configuration, acceptor: recorders.accept))
        defer { peer.close() }
        peer.greet()
        peer.send(.request(1, end: false))
        recorders.all[0].consume = { _, _ in }
        // Nothing of the padding is given back before the frame that is too much: all comes in one read.
        let content = [UInt8](repeating: 1, count: 10_000 - 1 - padding)
        let frame = Frame(
            type: 0,
            flags: 8,
            stream: 1,
            payload: [UInt8(padding)] + content + Array(repeating: 0, count: padding)
        )
        peer.send(Array(repeating: frame, count: 10))
        #expect(peer.channel.isActive)
        peer.send(Array(repeating: frame, count: 10))
        #expect(peer.resetCode(1) == 3 || peer.goawayCode == 3)
    }

    /// Whatever comes between HEADERS and their end.
    static let interlopers: [Frame] = [
        .data(Its.open, [1]), .ping, .settings, .windowUpdate(0, 1), .priority(Its.open), .reset(Its.idle),
        .request(Its.idle + 2), .continuation(Its.idle + 2), .continuation(0), Frame(type: 0xbe), .goaway(last: 0),
    ]

    static let continuations = [
        Exchange(
            "6.10 a block in three parts",
            .served(Its.idle),
            .block(Its.idle, Array(request[..<3]), flags: 1),
            .continuation(Its.idle, Array(request[3..<7]), end: false),
            .continuation(Its.idle, Array(request[7...]))
        ),
        Exchange(
            "6.10 behind END_HEADERS",
            .connectionError(.protocolError),
            .request(Its.idle),
            .continuation(Its.idle)
        ),
        Exchange("6.10 behind nothing", .connectionError(.protocolError), .continuation(Its.open)),
        Exchange("6.10 on stream 0", .connectionError(.protocolError), .continuation(0)),
    ]

    @Test(arguments: continuations) func `CONTINUATION`(_ exchange: Exchange) throws { try exchange.run() }

    @Test(arguments: interlopers.indices) func `6.10 Nothing comes between HEADERS and CONTINUATION`(index: Int) throws
    {
        try Exchange(
            "6.10",
            .connectionError(.protocolError),
            .block(Its.idle, Array(Self.request[..<3]), flags: 1),
            Self.interlopers[index]
        ).run()
    }
}
