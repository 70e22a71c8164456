import NIOCore
import NIOEmbedded
import Testing

@testable import BrasaServer

@Suite struct ProtocolSnifferTests {
    private static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

    /// Keeps what comes behind the sniffer.
    private final class Sink: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        var received: [UInt8] = []

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            self.received.append(contentsOf: self.unwrapInboundIn(data).readableBytesView)
        }
    }

    private struct Line {
        let channel = EmbeddedChannel()
        let sink = Sink()
        let verdicts = Verdicts()

        final class Verdicts {
            var list: [ProtocolSniffer.Verdict] = []
        }

        init() throws {
            let (sink, verdicts) = (self.sink, self.verdicts)
            let sniffer = ProtocolSniffer(timeLimit: .seconds(10)) { verdict, channel in
                verdicts.list.append(verdict)
                try channel.pipeline.syncOperations.addHandler(sink)
            }
            try self.channel.pipeline.syncOperations.addHandler(sniffer)
            self.channel.connect(to: try SocketAddress(unixDomainSocketPath: "/line"), promise: nil)
        }

        func send(_ bytes: some Sequence<UInt8>) throws {
            try self.channel.writeInbound(ByteBuffer(bytes: bytes))
        }
    }

    @Test(arguments: 1..<24)
    func `The preface is known at every split, and all bytes go on`(_ split: Int) throws {
        let line = try Line()
        let rest: [UInt8] = [0, 0, 0, 4, 0, 0, 0, 0, 0]
        try line.send(Self.preface[..<split])
        #expect(line.verdicts.list.isEmpty && line.sink.received.isEmpty)
        try line.send(Self.preface[split...] + rest)
        try line.send([1, 2, 3])
        #expect(line.verdicts.list == [.http2])
        #expect(line.sink.received == Self.preface + rest + [1, 2, 3])
        #expect(throws: (any Error).self) {
            try line.channel.pipeline.syncOperations.handler(type: ProtocolSniffer.self)
        }
        _ = try line.channel.finish()
    }

    @Test func `The preface is known byte by byte`() throws {
        let line = try Line()
        for byte in Self.preface {
            #expect(line.verdicts.list.isEmpty)
            try line.send([byte])
        }
        #expect(line.verdicts.list == [.http2] && line.sink.received == Self.preface)
        _ = try line.channel.finish()
    }

    @Test(arguments: [
        "GET / HTTP/1.1\r\n\r\n", "P", "PRI", "POST / HTTP/1.1\r\n", "PRI * HTTP/1.1\r\n", "\u{16}\u{3}\u{1}",
    ])
    func `Everything else is HTTP/1.1 as soon as it differs`(_ text: String) throws {
        let line = try Line()
        try line.send(text.utf8)
        let isStart = Self.preface.starts(with: text.utf8)
        #expect(line.verdicts.list == (isStart ? [] : [.http1]))
        #expect(line.sink.received == (isStart ? [] : Array(text.utf8)))
        _ = try line.channel.finish()
    }

    @Test func `Each byte of the preface decides`() {
        for index in Self.preface.indices {
            var bytes = Self.preface
            bytes[index] ^= 1
            #expect(ProtocolSniffer.verdict(on: ByteBuffer(bytes: bytes).readableBytesView) == .http1)
        }
    }

    @Test(arguments: [0, 1, 23])
    func `A peer that says nothing decisive in time is closed`(_ count: Int) throws {
        let line = try Line()
        if count > 0 { try line.send(Self.preface[..<count]) }
        line.channel.embeddedEventLoop.advanceTime(by: .milliseconds(9_999))
        #expect(line.channel.isActive)
        line.channel.embeddedEventLoop.advanceTime(by: .milliseconds(1))
        #expect(!line.channel.isActive && line.verdicts.list.isEmpty)
    }

    @Test func `A decided connection has no time limit`() throws {
        let line = try Line()
        try line.send("G".utf8)
        line.channel.embeddedEventLoop.advanceTime(by: .hours(1))
        #expect(line.channel.isActive)
        _ = try line.channel.finish()
    }

    @Test func `A connection that cannot be set up is closed`() throws {
        struct Refusal: Error {}
        let channel = EmbeddedChannel(handler: ProtocolSniffer(timeLimit: .seconds(1)) { _, _ in throw Refusal() })
        channel.connect(to: try SocketAddress(unixDomainSocketPath: "/line"), promise: nil)
        try channel.writeInbound(ByteBuffer(string: "GET"))
        #expect(!channel.isActive)
    }
}
