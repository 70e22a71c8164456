import BrasaBytes
import BrasaHTTP
import BrasaTreeSocket
import NIOCore
import NIOEmbedded
import NIOHTTP1

/// What clients of long polling do, as lines: `?` and what stands behind it in a request's target; `+` and what a request of the
/// present session has beside its key; `>` and a message that such a request brings, a digit before it says in how many
/// segments; `-` gives up the oldest request; `@` and a digit lets tens of seconds pass. Replies have to be numbered, with
/// nothing in them that would end their script.
package func fuzzPolling(_ bytes: [UInt8]) {
    guard let client = PollingClient() else { return }
    for line in bytes.split(separator: UInt8(ascii: "\n")) {
        let rest = line.dropFirst()
        switch line.first {
        case UInt8(ascii: "?"): client.request(rest)
        case UInt8(ascii: "+"): client.request(client.key + rest)
        case UInt8(ascii: ">"): client.say(rest)
        case UInt8(ascii: "-"): client.giveUp()
        case UInt8(ascii: "@"): client.tree.advance(seconds: Int64(rest.first ?? 0) % 10 * 10)
        default: continue
        }
        client.take()
    }
    client.leave()
}

private final class PollingClient {
    private static let requestsMax = 64

    let tree: FuzzedTree
    private let table: PollTable
    private let door: HTTPDoor
    private var channels: [(channel: EmbeddedChannel, bytes: [UInt8])] = []
    private var requestCount = 0
    private var nextSegment = 0
    /// Of the session that was begun last.
    private(set) var key: [UInt8] = []
    private var sessionCount = 0
    /// Of the replies of the first session, as long as it is the only one.
    private var numbers: Set<Int> = []

    init?() {
        guard let tree = FuzzedTree() else { return nil }
        self.tree = tree
        self.table = PollTable(tree.budget, countMax: 16, countPerAddressMax: 16)
        var router = HTTPRouter()
        TreePollDoor(tree.trees, self.table, on: tree.loop).register(in: &router)
        var door = HTTPDoor(router, tree.reception, peer: [127, 0, 0, 1])
        door.budget = tree.budget
        self.door = door
    }

    func request(_ query: some Collection<UInt8>) {
        guard self.requestCount < Self.requestsMax, let address = try? SocketAddress(unixDomainSocketPath: "/peer")
        else { return }
        self.requestCount += 1
        let channel = EmbeddedChannel(loop: self.tree.loop)
        let pipeline = channel.pipeline.syncOperations
        guard (try? pipeline.configureHTTPServerPipeline(withPipeliningAssistance: true)) != nil,
            (try? pipeline.addHandler(HTTP1RequestHandler(self.door))) != nil
        else { return }
        channel.connect(to: address, promise: nil)
        self.channels.append((channel, []))
        let head =
            Array("GET /.lp?".utf8) + query + Array(" HTTP/1.1\r\nhost: x\r\nsec-fetch-site: same-site\r\n\r\n".utf8)
        _ = try? channel.writeInbound(ByteBuffer(bytes: head))
    }

    /// A message, cut as clients cut it: after it was encoded.
    func say(_ line: ArraySlice<UInt8>) {
        let text = Base64.encode(line.dropFirst(), .url, isPadded: false)
        let count = Int(line.first ?? 0) % 4 + 1
        let length = text.count / count + 1
        for index in 0..<count {
            let part = text.dropFirst(index * length).prefix(length)
            self.request(self.key + Array("&seg0=\(self.nextSegment)&ts0=\(count)&d0=".utf8) + part)
            self.nextSegment += 1
        }
    }

    func giveUp() {
        guard !self.channels.isEmpty else { return }
        // `finish` would cancel what the loop has scheduled for others.
        self.channels.removeFirst().channel.close(promise: nil)
        self.tree.run()
    }

    func take() {
        self.tree.run()
        for index in self.channels.indices {
            while let bytes = try? self.channels[index].channel.readOutbound(as: ByteBuffer.self) {
                self.channels[index].bytes += bytes.readableBytesView
                self.tree.run()
            }
            for line in PollingAnswer.lines(&self.channels[index].bytes) { self.read(line) }
        }
    }

    private func read(_ line: [UInt8]) {
        if line.starts(with: PollingAnswer.greeting) {
            self.sessionCount += 1
        } else if line.starts(with: PollingAnswer.begun) {
            let parts = line.split(separator: UInt8(ascii: "'"))
            precondition(parts.count == 7, "no session begins so")
            self.key = Array("id=".utf8) + parts[3] + Array("&pw=".utf8) + parts[5]
            self.nextSegment = 0
        } else if line.starts(with: PollingAnswer.reply) {
            let digits = line.dropFirst(PollingAnswer.reply.count).prefix { $0 != UInt8(ascii: ",") }
            guard let number = Int(String(decoding: digits, as: UTF8.self)) else {
                preconditionFailure("a reply has no number")
            }
            precondition(!line.contains(UInt8(ascii: "<")), "the reply could end its script")
            // A long one comes in several chunks.
            let isWhole = line.last != UInt8(ascii: "\r")
            precondition(!isWhole || line.suffix(3) == Array("]);".utf8)[...], "no whole reply")
            if self.sessionCount <= 1 {
                precondition(self.numbers.insert(number).inserted, "two replies with one number")
            }
        }
    }

    func leave() {
        for (channel, _) in self.channels { channel.close(promise: nil) }
        self.tree.run()
        // Nobody asks any more.
        for _ in 0..<13 { self.tree.advance(seconds: 10) }
        precondition(self.table.count == 0, "a session is there that nobody asks for")
        self.tree.check()
    }
}

private enum PollingAnswer {
    /// In front of a session's first reply, also when that is the last.
    static let greeting = Array("function pLPCommand(".utf8)
    static let begun = Array("pLPCommand('start'".utf8)
    static let reply = Array("pRTLPCB(".utf8)

    /// Those that are whole, without what chunks are in.
    static func lines(_ bytes: inout [UInt8]) -> [[UInt8]] {
        guard let end = bytes.lastIndex(of: UInt8(ascii: "\n")) else { return [] }
        let lines = bytes[..<end].split(separator: UInt8(ascii: "\n")).map(Array.init)
        bytes.removeSubrange(...end)
        return lines
    }
}
