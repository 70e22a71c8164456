import BrasaHTTP
import BrasaHTTP2
import BrasaIdentity
import BrasaPlatform
import BrasaSimulation
import BrasaTreeWatch
import NIOCore
import NIOEmbedded
import NIOHTTP1
import Testing

@testable import BrasaTreeSocket

/// A client of long polling, with a connection for each request, of a simulated server on one thread.
final class PollLine {
    let server: SimulatedServer
    let watcher: TreeWatcher
    let budget: ByteBudget
    let table: PollTable
    let loop = EmbeddedEventLoop()
    private let door: HTTPDoor
    private var channels: [EmbeddedChannel] = []
    private var segment = 0
    private var key = ""

    init(admission: Admission = Admission(.administrator), budgetBytes: Int = 16 << 20) throws {
        self.server = try SimulatedServer()
        self.watcher = TreeWatcher(
            store: self.server.store,
            transactions: self.server.transactions,
            mailbox: self.server.scheduler.mailbox()
        )
        self.budget = ByteBudget(bytesMax: budgetBytes)
        self.table = PollTable(self.budget, countMax: 100, countPerAddressMax: 100)
        let trees = TreeSocketDoor(self.watcher, TreeSessionTable(), entropy: .seeded(1))
        var router = HTTPRouter()
        TreePollDoor(trees, self.table, on: self.loop).register(in: &router)
        self.door = HTTPDoor(router, .credentials { _, _ in .admitted(admission) }, peer: [127, 0, 0, 1])
    }

    func run() {
        for _ in 0..<3 {
            self.loop.run()
            self.server.settle()
        }
        self.loop.run()
    }

    func advance(seconds: Int64, milliseconds: Int64 = 0) {
        self.loop.advanceTime(by: .seconds(seconds) + .milliseconds(milliseconds))
        self.run()
    }

    func send(_ target: String) throws -> EmbeddedChannel {
        let channel = EmbeddedChannel(loop: self.loop)
        try channel.pipeline.syncOperations.configureHTTPServerPipeline(withPipeliningAssistance: true)
        try channel.pipeline.syncOperations.addHandler(HTTP1RequestHandler(self.door))
        channel.connect(to: try SocketAddress(unixDomainSocketPath: "/line"), promise: nil)
        self.channels.append(channel)
        let fields = "host: 127.0.0.1\r\nsec-fetch-site: same-site\r\n\r\n"
        try channel.writeInbound(ByteBuffer(string: "GET /.lp?\(target) HTTP/1.1\r\n\(fields)"))
        self.run()
        return channel
    }

    /// The script that answers the request, as far as it is there.
    func taken(_ channel: EmbeddedChannel) throws -> String {
        self.run()
        var text = ""
        while let bytes = try channel.readOutbound(as: ByteBuffer.self) { text += String(buffer: bytes) }
        // Without the head, and what chunks are in.
        let lines = text.split(whereSeparator: { $0.isNewline })
        return lines.filter { $0.hasPrefix("pLPCommand(") || $0.hasPrefix("pRTLPCB(") }.joined()
    }

    func start() throws -> String {
        let script = try self.taken(try self.send("start=t&cb=1&v=5&ns=one"))
        let quoted = script.split(separator: "'")
        if let index = quoted.firstIndex(of: "start") { self.key = "id=\(quoted[index + 2])&pw=\(quoted[index + 4])" }
        return script
    }

    func poll(_ message: String? = nil) throws -> EmbeddedChannel {
        guard let message else { return try self.send(self.key) }
        let text = String(decoding: Self.base64(message), as: UTF8.self)
        self.segment += 1
        return try self.send("\(self.key)&seg0=\(self.segment - 1)&ts0=1&d0=\(text)")
    }

    func ask(_ number: Int, _ action: String, _ body: String) throws -> EmbeddedChannel {
        try self.poll("{\"t\":\"d\",\"d\":{\"r\":\(number),\"a\":\"\(action)\",\"b\":\(body)}}")
    }

    private static func base64(_ message: String) -> [UInt8] {
        let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
        var text: [UInt8] = []
        var (bits, count): (UInt32, UInt32) = (0, 0)
        for byte in message.utf8 {
            (bits, count) = (bits << 8 | UInt32(byte), count + 8)
            while count >= 6 {
                count -= 6
                text.append(digits[Int(bits >> count) & 63])
            }
        }
        if count > 0 { text.append(digits[Int(bits << (6 - count)) & 63]) }
        return text
    }

    func close(_ channel: EmbeddedChannel) {
        // `finish` would cancel what the loop has scheduled for others.
        channel.close(promise: nil)
        self.run()
    }

    func stop() {
        for channel in self.channels { self.close(channel) }
    }
}
