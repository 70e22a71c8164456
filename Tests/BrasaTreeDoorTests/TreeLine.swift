import BrasaHTTP
import BrasaIdentity
import BrasaPlatform
import BrasaSimulation
import BrasaTransactions
import BrasaTreeJudging
import BrasaTreeService
import NIOCore
import NIOEmbedded
import NIOHTTP1

@testable import BrasaTreeDoor

/// A connection of HTTP/1.1 to the door over a simulated store.
final class TreeLine {
    let server: SimulatedServer
    let followers: TreeFollowers
    let rules: TreeRuleArchive
    let loop: EmbeddedEventLoop
    private let channel: EmbeddedChannel
    private var others: [EmbeddedChannel] = []
    private let door: HTTPDoor

    init(_ reception: Reception = .open) throws {
        self.server = try SimulatedServer(
            seed: 1,
            disk: SimulatedDisk(seed: 1),
            clock: SimulatedClock(),
            store: SimulatedServer.smallStore,
            transactions: TransactionConfiguration()
        )
        let loop = EmbeddedEventLoop()
        self.loop = loop
        let mailbox = self.server.scheduler.mailbox()
        self.followers = TreeFollowers(store: self.server.store, mailbox: mailbox)
        self.rules = TreeRuleArchive(store: self.server.store, transactions: self.server.transactions)
        let service = TreeService(
            store: self.server.store,
            transactions: self.server.transactions,
            rules: self.rules,
            mailbox: mailbox,
            pushIDs: PushIDSource(clock: .system, entropy: Entropy { 1 })
        )
        var router = HTTPRouter()
        TreeDoor(service, self.followers, on: loop).register(in: &router)
        self.door = HTTPDoor(router, reception)
        self.channel = EmbeddedChannel(loop: loop)
        self.server.settle()
        try self.open(self.channel)
    }

    private func open(_ channel: EmbeddedChannel) throws {
        try channel.pipeline.syncOperations.configureHTTPServerPipeline(withPipeliningAssistance: true)
        try channel.pipeline.syncOperations.addHandler(HTTP1RequestHandler(self.door))
        channel.connect(to: try SocketAddress(unixDomainSocketPath: "/line"), promise: nil)
    }

    func run() {
        for _ in 0..<4 {
            self.loop.run()
            self.server.settle()
            self.followers.wake()
        }
        self.loop.run()
    }

    /// What is sent, head and all.
    func send(_ method: String, _ target: String, _ body: String = "", _ fields: String = "") throws -> String {
        let head = "\(method) \(target) HTTP/1.1\r\nhost: one.example.com\r\n\(fields)"
        try self.channel.writeInbound(
            ByteBuffer(string: "\(head)content-length: \(body.utf8.count)\r\n\r\n\(body)")
        )
        self.run()
        return try Self.read(self.channel)
    }

    /// Another connection, with an event stream on it.
    func follow(_ target: String) throws -> EmbeddedChannel {
        let channel = EmbeddedChannel(loop: self.loop)
        try self.open(channel)
        self.others.append(channel)
        try channel.writeInbound(
            ByteBuffer(string: "GET \(target) HTTP/1.1\r\nhost: one.example.com\r\naccept: text/event-stream\r\n\r\n")
        )
        self.run()
        return channel
    }

    static func read(_ channel: EmbeddedChannel) throws -> String {
        var text = ""
        while let bytes = try channel.readOutbound(as: ByteBuffer.self) { text += String(buffer: bytes) }
        return text
    }

    func close() {
        for channel in [self.channel] + self.others { _ = try? channel.finish(acceptAlreadyClosed: true) }
    }
}
