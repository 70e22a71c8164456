import BrasaHTTP2
import NIOCore
import NIOEmbedded
import Testing

/// Sections 3 and 4 of RFC 9113: how a connection starts, frames, and header compression.
@Suite struct FrameConformanceTests {
    typealias Frame = RawPeer.Frame
    typealias Its = Exchange.Stream

    /// The first bytes of a connection, and whether it lives.
    struct Start: CustomTestStringConvertible, Sendable {
        var name: String
        var bytes: [UInt8]
        var lives = false
        var testDescription: String { self.name }
    }

    static let starts = [
        Start(name: "3.4 the preface and SETTINGS", bytes: Frame.preface + Frame.settings.bytes, lives: true),
        Start(name: "3.4 HTTP/1.1", bytes: Array("POST / HTTP/1.1\r\nHost: x\r\n\r\n\r\n".utf8)),
        Start(name: "3.4 a preface with one wrong byte", bytes: Frame.preface.dropLast() + [0] + Frame.settings.bytes),
        Start(name: "3.4 no preface", bytes: Frame.settings.bytes + Array(repeating: 0, count: 24)),
        Start(name: "3.4 PING before SETTINGS", bytes: Frame.preface + Frame.ping.bytes),
        Start(name: "3.4 a request before SETTINGS", bytes: Frame.preface + Frame.request(1).bytes),
        Start(name: "3.4 an acknowledgement before SETTINGS", bytes: Frame.preface + Frame.settingsAck.bytes),
    ]

    @Test(arguments: starts, [1, Int.max])
    func `A connection starts with the preface and SETTINGS`(_ start: Start, pieceBytes: Int) throws {
        let recorders = RecorderList()
        let peer = try RawPeer(.server(HTTP2ServerConfiguration(), acceptor: recorders.accept))
        defer { peer.close() }
        let count = min(pieceBytes, start.bytes.count)
        for from in stride(from: 0, to: start.bytes.count, by: count) {
            peer.send(bytes: Array(start.bytes[from..<min(from + count, start.bytes.count)]))
        }
        #expect(peer.frames.first.map { [$0.type, $0.flags] } == [4, 0])
        #expect(peer.frames.contains { $0.type == 4 && $0.flags == 1 } == start.lives)
        #expect(peer.channel.isActive == start.lives)
        #expect(recorders.all.isEmpty)
    }

    static let frames = [
        Exchange("4.1 a frame of a type that nobody knows", .fine, Frame(type: 0xbe, payload: [1, 2, 3])),
        Exchange("4.1 and one on a stream", .fine, Frame(type: 0xbe, flags: 0xff, stream: Its.open)),
        Exchange("4.1 flags that nobody knows", .fine, Frame(type: 6, flags: 0xfe, payload: Frame.ping.payload)),
        Exchange("4.1 the reserved bit", .fine, Frame(type: 0, stream: Its.open | 0x8000_0000, payload: [1])),
        Exchange("4.2 DATA of 16,384 bytes", .fine, .data(Its.open, Array(repeating: 1, count: 16_384))),
        Exchange(
            "4.2 DATA of 16,385 bytes",
            .connectionError(.frameSizeError),
            .data(Its.open, Array(repeating: 1, count: 16_385))
        ),
        Exchange(
            "4.2 HEADERS of 16,385 bytes",
            .connectionError(.frameSizeError),
            .block(Its.idle, Array(repeating: 0, count: 16_385))
        ),
        Exchange(
            "4.2 SETTINGS of 16,386 bytes",
            .connectionError(.frameSizeError),
            Frame(type: 4, payload: Array(repeating: 0, count: 16_386))
        ),
    ]

    @Test(arguments: frames) func `Frames and their sizes`(_ exchange: Exchange) throws { try exchange.run() }

    static let request = RawPeer.hpack(RawPeer.requestFields)
    /// A field that enters the compression table, and the byte that names it afterwards.
    static let indexed: [UInt8] = [0x40, 1, UInt8(ascii: "a"), 1, UInt8(ascii: "b")]
    static let reference: [UInt8] = [0xbe]

    static let blocks = [
        Exchange("4.3 index 0", .connectionError(.compressionError), .block(Its.idle, [0x80])),
        Exchange("4.3 an index beyond the table", .connectionError(.compressionError), .block(Its.idle, [0xc6])),
        Exchange(
            "4.3 an integer that never ends",
            .connectionError(.compressionError),
            .block(Its.idle, [0xff] + Array(repeating: 0xff, count: 20))
        ),
        Exchange(
            "4.3 a block that ends in a field",
            .connectionError(.compressionError),
            .block(Its.idle, [0, 5, 97])
        ),
        Exchange(
            "4.3 a string with the code of its end",
            .connectionError(.compressionError),
            .block(Its.idle, request + [0, 0x84, 0xff, 0xff, 0xff, 0xff, 1, 97])
        ),
        Exchange(
            "4.3 a table larger than the setting",
            .connectionError(.compressionError),
            .block(Its.idle, [0x3f, 0xe2, 0x1f] + request)
        ),
        Exchange(
            "4.3 a change of the table behind a field",
            .connectionError(.compressionError),
            .block(Its.idle, request + [0x20])
        ),
        Exchange("4.3 a change of the table first", .served(Its.idle), .block(Its.idle, [0x20] + request)),
        Exchange(
            "4.3 a bad block on a stream that was reset",
            .connectionError(.compressionError),
            .block(Its.resetByServer, [0x80])
        ),
        Exchange(
            "4.3 a block that is ignored still fills the table",
            .served(Its.idle),
            .block(Its.resetByServer, indexed),
            .block(Its.idle, request + reference)
        ),
    ]

    @Test(arguments: blocks) func `Field section compression`(_ exchange: Exchange) throws { try exchange.run() }
}
