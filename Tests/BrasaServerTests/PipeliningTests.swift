import BrasaHTTP
import BrasaHTTP2
import BrasaIdentity
import Logging
import NIOConcurrencyHelpers
import NIOCore
import NIOEmbedded
import Testing

@testable import BrasaServer

/// HTTP/1.1 requests that come without waiting for the answers before them.
@Suite struct PipeliningTests {
    /// A socket that takes nothing until it is told to.
    private final class FullSocket: ChannelOutboundHandler {
        typealias OutboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer
        private var waiting: [(ByteBuffer, EventLoopPromise<Void>?)] = []
        private(set) var reads = 0

        var waitingBytes: Int { self.waiting.reduce(0) { $0 + $1.0.readableBytes } }

        func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
            self.waiting.append((self.unwrapOutboundIn(data), promise))
        }

        func read(context: ChannelHandlerContext) {
            self.reads += 1
            context.read()
        }

        func take() -> String {
            let taken = self.waiting
            self.waiting = []
            for (_, promise) in taken { promise?.succeed() }
            return taken.map { String(buffer: $0.0) }.joined()
        }
    }

    private final class Line {
        let socket = FullSocket()
        let channel = EmbeddedChannel()
        let engine: Engine
        let budget: ByteBudget
        private let made = NIOLockedValueBox(0)
        var metricsMade: Int { self.made.withLockedValue { $0 } }

        init(
            budgetBytes: Int = 1 << 20,
            refusals: ConnectionRefusals = ConnectionRefusals { _ in },
            receiveTimeMax: TimeAmount = .seconds(60)
        ) throws {
            self.engine = try Engine(
                RunningServer.configuration(),
                logger: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() }),
                onFailure: { _ in }
            )
            self.budget = ByteBudget(bytesMax: budgetBytes)
            try self.channel.pipeline.syncOperations.addHandler(self.socket)
            let engine = self.engine
            let made = self.made
            var router = HTTPRouter()
            router.get("/", for: .everybody) { HTTPAnswer(200, "Ok\n") }
            router.get("/metrics", for: .administrators) {
                made.withLockedValue { $0 += 1 }
                var page = MetricsPage()
                engine.add(to: &page)
                return HTTPAnswer(200, contentType: MetricsPage.contentType, page.text)
            }
            do {
                try PlainConnection.configure(
                    self.channel,
                    budget: self.budget,
                    refusals: refusals,
                    door: HTTPDoor(router, .open, receiveTimeMax: receiveTimeMax)
                )
            } catch {
                engine.stop()
                throw error
            }
            self.channel.connect(to: try SocketAddress(unixDomainSocketPath: "/line"), promise: nil)
        }

        func stop() {
            _ = try? self.channel.finish(acceptAlreadyClosed: true)
            self.engine.stop()
        }
    }

    private static let request = "GET /metrics HTTP/1.1\r\n\r\n"

    @Test func `A peer that does not read has one answer waiting for it, and one turn of work for each that it reads`()
        throws
    {
        let line = try Line()
        defer { line.stop() }
        let count = 80
        try line.channel.writeInbound(ByteBuffer(string: String(repeating: Self.request, count: count)))
        for answered in 1...count {
            line.channel.embeddedEventLoop.run()
            #expect(line.metricsMade == answered)
            let reads = line.socket.reads
            line.channel.read()
            #expect(line.socket.reads == reads, "nothing more is read before the answer is")
            #expect(line.socket.waitingBytes <= PlainConnection.keptBytes / 4)
            let answer = line.socket.take()
            #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n") && answer.components(of: "HTTP/1.1 200") == 1)
            #expect(line.metricsMade == answered, "the next has a turn of its own")
        }
        line.channel.embeddedEventLoop.run()
        let reads = line.socket.reads
        line.channel.read()
        #expect(line.socket.reads == reads + 1)
    }

    @Test func `An answer that is not read for the time limit ends the connection`() throws {
        let line = try Line()
        defer { line.stop() }
        try line.channel.writeInbound(ByteBuffer(string: Self.request))
        #expect(line.channel.isActive && line.socket.waitingBytes > 0)
        // The handler before it measures by the system's clock.
        line.channel.pipeline.fireUserInboundEventTriggered(IdleStateHandler.IdleStateEvent.all)
        #expect(!line.channel.isActive)
    }

    /// Each way to be slow, a piece every second.
    @Test(arguments: [
        ["G", "E", "T", " ", "/", " ", "H", "T"], ["GET / HTTP/1.1\r\n", "a: 1\r\n", "b: 2\r\n", "c: 3\r\n", "d"],
        ["GET / HTTP/1.1\r\ncontent-length: 100\r\n\r\n", "a", "b", "c", "d", "e"],
        ["GET / HTTP/1.1\r\n\r\nG", "E", "T", " ", "/", " "],
    ])
    func `A request that has begun has its time, however steadily it trickles`(_ pieces: [String]) throws {
        let line = try Line(receiveTimeMax: .milliseconds(3_500))
        defer { line.stop() }
        var seconds = 0
        for piece in pieces where line.channel.isActive {
            try line.channel.writeInbound(ByteBuffer(string: piece))
            line.channel.embeddedEventLoop.run()
            _ = line.socket.take()
            line.channel.embeddedEventLoop.advanceTime(by: .seconds(1))
            seconds += 1
        }
        #expect(!line.channel.isActive)
        // One whose first piece brings a whole request before it has its own time.
        #expect(seconds == (pieces[0].hasSuffix("\r\n\r\nG") ? 5 : 4))
    }

    @Test func `Requests that come whole have no end together`() throws {
        let line = try Line(receiveTimeMax: .seconds(3))
        defer { line.stop() }
        for _ in 0..<10 {
            try line.channel.writeInbound(ByteBuffer(string: "GET / HTTP/1.1\r\n"))
            line.channel.embeddedEventLoop.advanceTime(by: .seconds(2))
            try line.channel.writeInbound(ByteBuffer(string: "\r\n"))
            line.channel.embeddedEventLoop.run()
            #expect(line.socket.take().hasPrefix("HTTP/1.1 200"))
            line.channel.embeddedEventLoop.advanceTime(by: .seconds(10))
        }
        #expect(line.channel.isActive)
    }

    @Test(arguments: [
        "GET / HTTP/1.1\r\nx: \(String(repeating: "x", count: 20_000))",
        "GET / HTTP/1.1\r\n" + String(repeating: "x: \(String(repeating: "x", count: 900))\r\n", count: 30),
        "GET / HTTP/1.1\r\n" + String(repeating: "x:\r\n", count: 200),
        "GET /\(String(repeating: "x", count: 20_000))",
    ])
    func `A head that does not end is not kept`(_ head: String) throws {
        let line = try Line()
        defer { line.stop() }
        try line.channel.writeInbound(ByteBuffer(string: head))
        line.channel.embeddedEventLoop.run()
        _ = line.socket.take()
        line.channel.embeddedEventLoop.run()
        #expect(!line.channel.isActive)
    }

    @Test func `What a connection may keep is drawn while it is open, and without room there is none`() throws {
        let line = try Line()
        #expect(line.budget.drawnBytes == PlainConnection.keptBytes)
        line.stop()
        #expect(line.budget.drawnBytes == 0)
        let refusals = ConnectionRefusals { _ in }
        #expect(throws: PlainConnection.NoRoom.self) {
            try Line(budgetBytes: PlainConnection.keptBytes - 1, refusals: refusals)
        }
        #expect(refusals[.memory] == 1)
    }
}

extension String {
    fileprivate func components(of part: String) -> Int {
        self.split(separator: part, omittingEmptySubsequences: false).count - 1
    }
}
