import BrasaHTTP2
import NIOCore
import NIOEmbedded
import Testing

/// Frames that a peer sends, and what RFC 9113 wants of a server then. The number in front of the name is the section.
struct Exchange: CustomTestStringConvertible, Sendable {
    typealias Frame = RawPeer.Frame

    enum Outcome: Sendable {
        /// GOAWAY with that code, and the connection is closed. The RFC allows this for every error of a stream, too.
        case connectionError(HTTP2ErrorCode)
        /// RST_STREAM with that code; everything else goes on.
        case streamError(UInt32, HTTP2ErrorCode)
        /// Nothing is wrong.
        case fine
        /// The request on that stream reaches a handler, and nothing is wrong.
        case served(UInt32)
    }

    var name: String
    var outcome: Outcome
    var frames: [Frame]

    init(_ name: String, _ outcome: Outcome, _ frames: Frame...) {
        self.name = name
        self.outcome = outcome
        self.frames = frames
    }

    init(_ name: String, _ outcome: Outcome, _ frames: [Frame]) {
        self.name = name
        self.outcome = outcome
        self.frames = frames
    }

    var testDescription: String { self.name }

    /// Streams of every state, which `run` brings about before the frames.
    enum Stream {
        static let open: UInt32 = 1
        /// The client has ended its side, the server not.
        static let halfClosed: UInt32 = 3
        /// Both have.
        static let finished: UInt32 = 5
        static let resetByClient: UInt32 = 7
        /// The server has reset it while the client's side was open.
        static let resetByServer: UInt32 = 9
        /// Opened, and reset by the server after the client's end.
        static let endedAndReset: UInt32 = 11
        /// Answered, and so reset with NO_ERROR, before the client's end.
        static let answeredEarly: UInt32 = 13
        static let idle: UInt32 = 15
    }

    /// How the frames' bytes come.
    enum Delivery: CaseIterable, Sendable { case frameByFrame, byteByByte, atOnce }

    func run(_ delivery: Delivery = .frameByFrame) throws {
        let recorders = RecorderList()
        let peer = try RawPeer(.server(HTTP2ServerConfiguration(), acceptor: recorders.accept))
        defer { peer.close() }
        peer.greet()
        try self.prepare(peer, recorders)
        let prepared = peer.frames.count
        switch delivery {
        case .frameByFrame: for frame in self.frames { peer.send(frame) }
        case .byteByByte: for byte in self.frames.flatMap(\.bytes) { peer.send(bytes: [byte]) }
        case .atOnce: peer.send(self.frames)
        }
        self.check(peer, recorders, Array(peer.frames[prepared...]))
        peer.close()
        #expect(recorders.all.allSatisfy { $0.closed.count == 1 && $0.eventsAfterClose == 0 })
    }

    private func prepare(_ peer: RawPeer, _ recorders: RecorderList) throws {
        typealias Its = Stream
        for id in stride(from: Its.open, to: Its.idle, by: 2) {
            peer.send(.request(id, end: [Its.halfClosed, Its.finished, Its.endedAndReset].contains(id)))
        }
        recorders[Its.finished]?.sendHeaders(.ok, endStream: true)
        recorders[Its.answeredEarly]?.sendHeaders(.ok, endStream: true)
        recorders[Its.resetByServer]?.reset(.cancel)
        recorders[Its.endedAndReset]?.reset(.cancel)
        peer.send(.reset(Its.resetByClient))
        try #require(peer.resetCode(Its.resetByServer) == 8 && peer.resetCode(Its.endedAndReset) == 8)
        try #require(peer.resetCode(Its.answeredEarly) == 0 && peer.resetCode(Its.finished) == nil)
        try #require(peer.connection.openStreams == 2)
    }

    private func check(_ peer: RawPeer, _ recorders: RecorderList, _ answers: [Frame]) {
        let resets = answers.filter { $0.type == 3 }
        switch self.outcome {
        case .connectionError(let code):
            #expect(peer.goawayCode == code.rawValue)
            #expect(!peer.channel.isActive)
            return
        case .streamError(let id, let code):
            #expect(resets.map(\.stream) == [id])
            #expect(peer.resetCode(id) == code.rawValue)
        case .fine:
            #expect(resets.isEmpty)
        case .served(let id):
            #expect(resets.isEmpty)
            #expect(recorders[id] != nil && recorders.all.last?.headers != nil)
        }
        #expect(peer.goawayCode == nil)
        let pings = peer.frames.count { $0.type == 6 && $0.flags == 1 }
        peer.send(.ping)
        #expect(peer.frames.count { $0.type == 6 && $0.flags == 1 } == pings + 1)
        let next = (self.frames.map { $0.stream & 0x7fff_ffff | 1 } + [Stream.idle]).reduce(0, max) + 2
        guard next <= Int32.max else { return }
        peer.send(.request(next))
        #expect(recorders.all.last?.headers != nil && recorders.all.last?.stream?.id == Int32(next))
    }
}

extension RecorderList {
    fileprivate subscript(id: UInt32) -> HTTP2Stream? {
        self.all.lazy.compactMap(\.stream).first { $0.id == Int32(id) }
    }
}

extension RawPeer.Frame {
    /// HEADERS with a block as it stands.
    static func block(_ stream: UInt32, _ block: [UInt8], flags: UInt8 = 5) -> Self {
        Self(type: 1, flags: flags, stream: stream, payload: block)
    }

    static func continuation(_ stream: UInt32, _ block: [UInt8] = [], end: Bool = true) -> Self {
        Self(type: 9, flags: end ? 4 : 0, stream: stream, payload: block)
    }

    static func setting(_ id: UInt8, _ value: UInt32) -> Self {
        Self(type: 4, payload: [0, id] + RawPeer.bigEndian(value))
    }

    static func trailers(_ stream: UInt32, _ fields: [(String, String)] = [("a", "b")], end: Bool = true) -> Self {
        .headers(stream, fields, end: end)
    }
}
