import BrasaHTTP2
import BrasaIdentity
import BrasaPlatform
import BrasaSimulation
import BrasaTree
import BrasaTreeJudging
import BrasaTreeRules
import BrasaTreeWatch
import BrasaTreeWire
import NIOCore
import NIOEmbedded
import NIOWebSocket

@testable import BrasaTreeSocket

/// A connection after its upgrade, to a simulated server, on one thread.
final class Line {
    let server: SimulatedServer
    let rules = TreeRuleBook()
    let watcher: TreeWatcher
    let budget: ByteBudget
    let channel = EmbeddedChannel()
    private let sessions = TreeSessionTable()
    private let socket: TreeSocketHandler

    init(
        _ caller: Caller = .administrator,
        admission: Admission? = nil,
        page: PageOrigin? = nil,
        reception: Reception = .open,
        budgetBytes: Int = 1 << 20,
        bounds: ReadBounds = ReadBounds()
    ) throws {
        self.server = try SimulatedServer()
        self.watcher = TreeWatcher(
            store: self.server.store,
            transactions: self.server.transactions,
            rules: self.rules,
            mailbox: self.server.scheduler.mailbox()
        )
        self.budget = ByteBudget(bytesMax: budgetBytes)
        var door = TreeSocketDoor(self.watcher, self.sessions, entropy: .seeded(1))
        door.readBounds = bounds
        let parameters = [(name: "v", value: "5"), (name: "ns", value: "one")]
        let handshake = try TreeHandshake(host: "here", parameters: parameters)
        let conversation = TreeConversation(
            door,
            reception,
            admission ?? Admission(caller),
            handshake,
            host: "here",
            page: page,
            budget: self.budget
        )
        self.socket = TreeSocketHandler(conversation, on: self.channel.eventLoop)
        // Before, since it may be closed at once.
        self.channel.connect(to: try SocketAddress(unixDomainSocketPath: "/line"), promise: nil)
        try self.channel.pipeline.syncOperations.addHandler(self.socket)
        _ = try self.taken()
    }

    /// What stands in `rules`.
    func judge(by rules: String) throws {
        self.rules.install(try TreeRules(parsing: Array("{\"rules\":\(rules)}".utf8)))
    }

    func send(_ text: String) throws {
        try self.channel.writeInbound(WebSocketFrame(fin: true, opcode: .text, data: ByteBuffer(string: text)))
    }

    /// A request, and what the server said until nothing moves.
    func ask(_ number: Int, _ action: String, _ body: String) throws -> [String] {
        try self.send("{\"t\":\"d\",\"d\":{\"r\":\(number),\"a\":\"\(action)\",\"b\":\(body)}}")
        return try self.taken()
    }

    /// What is in a message's envelope.
    func taken() throws -> [String] {
        self.server.settle()
        self.channel.embeddedEventLoop.run()
        var texts: [String] = []
        while let frame = try self.channel.readOutbound(as: WebSocketFrame.self) {
            if frame.opcode == .text {
                texts.append(String(String(buffer: frame.data).dropFirst(#"{"t":"d","d":"#.utf8.count).dropLast()))
            } else {
                texts.append("\(frame.opcode)")
            }
        }
        return texts
    }

    /// The socket takes something again, or nothing any more.
    func setWritable(_ isWritable: Bool) {
        self.channel.isWritable = isWritable
        self.channel.pipeline.fireChannelWritabilityChanged()
    }

    var isReading: Bool { self.socket.conversation.isReading }

    func stop() {
        _ = try? self.channel.finish(acceptAlreadyClosed: true)
    }
}
