import BrasaHTTP
import BrasaTreeSocket
import BrasaTreeWire
import NIOCore
import NIOEmbedded
import NIOHTTP1

/// A connection that asks for a WebSocket. The first byte says how much of it comes at a time, the second what it is: the
/// connection from its first byte, what comes behind an upgrade that is well, or lines that are texts of one frame each.
/// What is sent back has to be frames that a client can read.
package func fuzzSockets(_ bytes: [UInt8]) {
    guard bytes.count >= 2, let connection = SocketConnection() else { return }
    let size = Int(bytes[0]) * 8 + 1
    var rest = bytes.dropFirst(2)
    let kind = bytes[1] % 4
    if kind > 0 { connection.receive(SocketInput.upgrade(isAdministrator: kind == 3)) }
    if kind > 1 {
        for line in rest.split(separator: UInt8(ascii: "\n")) { connection.receive(SocketInput.frame(line)) }
    } else {
        while !rest.isEmpty {
            connection.receive(rest.prefix(size))
            rest = rest.dropFirst(size)
        }
    }
    connection.close()
}

private enum SocketInput {
    static func upgrade(isAdministrator: Bool) -> [UInt8] {
        let token = isAdministrator ? "authorization: Bearer a\r\n" : ""
        return Array(
            """
            GET /.ws?v=5&ns=one HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\n\
            sec-websocket-version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\(token)\r\n
            """.utf8
        )
    }

    /// Of text, whole, under a mask of zeros.
    static func frame(_ text: ArraySlice<UInt8>) -> [UInt8] {
        let count = text.count
        let length = count < 126 ? [0x80 | UInt8(count)] : [0xFE, UInt8(count >> 8 & 0xFF), UInt8(count & 0xFF)]
        return [0x81] + length + [0, 0, 0, 0] + text
    }
}

private final class SocketConnection {
    private let tree: FuzzedTree
    private let channel: EmbeddedChannel
    private var told = SocketAnswers()

    init?() {
        guard let tree = FuzzedTree(), let address = try? SocketAddress(unixDomainSocketPath: "/peer") else {
            return nil
        }
        self.tree = tree
        self.channel = EmbeddedChannel(loop: tree.loop)
        var router = HTTPRouter()
        router.get("/", for: .everybody) { HTTPAnswer(200, "Ok\n") }
        var door = HTTPDoor(router, tree.reception)
        door.budget = tree.budget
        var limits = NIOHTTPDecoderLimitConfiguration()
        limits.maxHeaderFieldSize = 1 << 10
        limits.maxHeaderListSize = 2 << 10
        limits.maxHeaderFieldCount = 20
        do {
            let pipeline = self.channel.pipeline.syncOperations
            try pipeline.configureHTTPServerPipeline(
                withPipeliningAssistance: true,
                withServerUpgrade: (
                    upgraders: [tree.trees.upgrader(tree.reception, budget: tree.budget)],
                    completionHandler: { context in Self.leave(context) }
                ),
                withErrorHandling: true,
                withEncoderConfiguration: .init(),
                withDecoderLimitConfiguration: limits
            )
            try pipeline.addHandler(UpgradeRefusalHandler())
            try pipeline.addHandler(HTTP1RequestHandler(door))
        } catch {
            return nil
        }
        self.channel.connect(to: address, promise: nil)
        tree.run()
    }

    private static func leave(_ context: ChannelHandlerContext) {
        let pipeline = context.pipeline.syncOperations
        if let handler = try? pipeline.handler(type: UpgradeRefusalHandler.self) {
            pipeline.removeHandler(handler, promise: nil)
        }
        if let handler = try? pipeline.handler(type: HTTP1RequestHandler.self) {
            pipeline.removeHandler(handler, promise: nil)
        }
    }

    func receive(_ bytes: some Collection<UInt8>) {
        guard self.channel.isActive else { return }
        _ = try? self.channel.writeInbound(ByteBuffer(bytes: bytes))
        self.tree.run()
        self.take()
    }

    private func take() {
        while let answer = try? self.channel.readOutbound(as: ByteBuffer.self) {
            self.told.take(answer.readableBytesView)
            self.tree.run()
        }
    }

    func close() {
        self.tree.advance(seconds: 5)
        self.take()
        _ = try? self.channel.finish(acceptAlreadyClosed: true)
        self.tree.check()
    }
}

/// What a server sends: heads until one that upgrades, then frames.
private struct SocketAnswers {
    private static let upgraded = Array("HTTP/1.1 101 ".utf8)
    private static let headEnd = Array("\r\n\r\n".utf8)

    private var bytes: [UInt8] = []
    private var isUpgraded = false
    private var joiner = FrameJoiner(messageBytesMax: 16 << 20)

    mutating func take(_ more: some Collection<UInt8>) {
        self.bytes += more
        if !self.isUpgraded {
            // Answers of plain HTTP before it come in pieces of their own.
            guard self.bytes.starts(with: Self.upgraded) else { return self.bytes = [] }
            guard let end = self.bytes.firstRange(of: Self.headEnd) else { return }
            self.isUpgraded = true
            self.bytes.removeFirst(end.upperBound)
        }
        while let (opcode, payload) = self.frame() {
            guard opcode == 1 else { continue }
            do throws(WireFault) {
                guard let message = try self.joiner.join(payload) else { continue }
                _ = try ServerMessage.reading(message)
            } catch {
                preconditionFailure("a client cannot read what it was sent: \(error)")
            }
        }
    }

    /// RFC 6455, 5.2: whole, and without a mask.
    private mutating func frame() -> (opcode: UInt8, payload: [UInt8])? {
        guard self.bytes.count >= 2 else { return nil }
        precondition(self.bytes[0] & 0xF0 == 0x80 && self.bytes[1] < 0x80, "no frame of a server")
        var (start, count) = (2, Int(self.bytes[1]))
        if count >= 126 {
            let digits = count == 126 ? 2 : 8
            guard self.bytes.count >= 2 + digits else { return nil }
            count = self.bytes[2..<2 + digits].reduce(0) { $0 << 8 | Int($1) }
            start += digits
        }
        guard self.bytes.count >= start + count else { return nil }
        defer { self.bytes.removeFirst(start + count) }
        return (self.bytes[0] & 0x0F, Array(self.bytes[start..<start + count]))
    }
}
