import BrasaHTTP2
import NIOCore
import NIOEmbedded

/// The other end of a connection, which writes its frames by hand and obeys no rule.
final class RawPeer {
    let loop = EmbeddedEventLoop()
    let channel: EmbeddedChannel
    let connection: HTTP2Connection
    private(set) var frames: [Frame] = []
    private var unparsed = ByteBuffer()
    private var sawPreface: Bool

    struct Frame {
        var type: UInt8
        var flags: UInt8 = 0
        var stream: UInt32 = 0
        var payload: [UInt8] = []

        var bytes: [UInt8] {
            let count = UInt32(self.payload.count)
            var bytes: [UInt8] = [UInt8(count >> 16 & 0xff), UInt8(count >> 8 & 0xff), UInt8(count & 0xff)]
            bytes += [self.type, self.flags]
            bytes += withUnsafeBytes(of: self.stream.bigEndian) { Array($0) }
            return bytes + self.payload
        }

        static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)
        static let settings = Self(type: 4)
        static let settingsAck = Self(type: 4, flags: 1)
        static let ping = Self(type: 6, payload: Array(repeating: 7, count: 8))

        static func data(_ stream: UInt32, _ payload: [UInt8], end: Bool = false) -> Self {
            Self(type: 0, flags: end ? 1 : 0, stream: stream, payload: payload)
        }
        static func headers(_ stream: UInt32, _ fields: [(String, String)], end: Bool) -> Self {
            Self(type: 1, flags: end ? 5 : 4, stream: stream, payload: RawPeer.hpack(fields))
        }
        static func request(_ stream: UInt32, end: Bool = true) -> Self {
            .headers(stream, RawPeer.requestFields, end: end)
        }
        static func reset(_ stream: UInt32, _ code: UInt32 = 8) -> Self {
            Self(type: 3, stream: stream, payload: RawPeer.bigEndian(code))
        }
        static func windowUpdate(_ stream: UInt32, _ increment: UInt32) -> Self {
            Self(type: 8, stream: stream, payload: RawPeer.bigEndian(increment))
        }
        static func goaway(last: UInt32, _ code: UInt32 = 0) -> Self {
            Self(type: 7, payload: RawPeer.bigEndian(last) + RawPeer.bigEndian(code))
        }
        static func priority(_ stream: UInt32) -> Self { Self(type: 2, stream: stream, payload: [0, 0, 0, 0, 16]) }
    }

    static let requestFields = [(":method", "POST"), (":scheme", "http"), (":path", "/"), (":authority", "x")]

    init(_ role: HTTP2Role) throws {
        self.connection = HTTP2Connection(role: role)
        self.channel = EmbeddedChannel(loop: self.loop)
        if case .client = role { self.sawPreface = false } else { self.sawPreface = true }
        try self.channel.pipeline.syncOperations.addHandler(self.connection)
        self.channel.connect(to: try SocketAddress(unixDomainSocketPath: "/raw"), promise: nil)
        self.run()
    }

    func run() {
        self.loop.run()
        while var bytes = try? self.channel.readOutbound(as: ByteBuffer.self) { self.unparsed.writeBuffer(&bytes) }
        if !self.sawPreface, self.unparsed.readableBytes >= 24 {
            self.unparsed.moveReaderIndex(forwardBy: 24)
            self.sawPreface = true
        }
        while let frame = self.parse() { self.frames.append(frame) }
    }

    private func parse() -> Frame? {
        guard let head = self.unparsed.getBytes(at: self.unparsed.readerIndex, length: 9) else { return nil }
        let count = Int(head[0]) << 16 | Int(head[1]) << 8 | Int(head[2])
        guard self.unparsed.readableBytes >= 9 + count else { return nil }
        self.unparsed.moveReaderIndex(forwardBy: 9)
        let stream = head[5...].reduce(UInt32(0)) { $0 << 8 | UInt32($1) } & 0x7fff_ffff
        return Frame(
            type: head[3],
            flags: head[4],
            stream: stream,
            payload: self.unparsed.readBytes(length: count) ?? []
        )
    }

    func send(bytes: [UInt8]) {
        guard self.channel.isActive else { return }
        _ = try? self.channel.writeInbound(ByteBuffer(bytes: bytes))
        self.run()
    }

    func send(_ frames: Frame...) { self.send(bytes: frames.flatMap(\.bytes)) }
    func send(_ frames: [Frame]) { self.send(bytes: frames.flatMap(\.bytes)) }

    func greet() {
        self.send(bytes: Frame.preface)
        self.send(.settings, .settingsAck)
    }

    func close() {
        _ = try? self.channel.finish(acceptAlreadyClosed: true)
        self.loop.run()
    }

    /// The code of the last GOAWAY that arrived.
    var goawayCode: UInt32? { self.frames.last { $0.type == 7 }.map { Self.number($0.payload[4..<8]) } }
    func resetCode(_ stream: UInt32) -> UInt32? {
        self.frames.last { $0.type == 3 && $0.stream == stream }.map { Self.number($0.payload[0..<4]) }
    }

    static func bigEndian(_ number: UInt32) -> [UInt8] { withUnsafeBytes(of: number.bigEndian) { Array($0) } }
    private static func number(_ bytes: ArraySlice<UInt8>) -> UInt32 { bytes.reduce(0) { $0 << 8 | UInt32($1) } }

    /// HPACK without its compression: literals that are not indexed.
    static func hpack(_ fields: [(String, String)]) -> [UInt8] {
        fields.flatMap { name, value in [0] + Self.string(name) + Self.string(value) }
    }

    private static func string(_ text: String) -> [UInt8] {
        let bytes = Array(text.utf8)
        if bytes.count < 127 { return [UInt8(bytes.count)] + bytes }
        var count = bytes.count - 127
        var prefix: [UInt8] = [127]
        while count >= 128 {
            prefix.append(UInt8(count & 127) | 128)
            count >>= 7
        }
        return prefix + [UInt8(count)] + bytes
    }
}
