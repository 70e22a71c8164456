import BrasaHTTP2
import NIOCore
import NIOEmbedded
import Testing

@Suite struct FloodTests {
    typealias Frame = RawPeer.Frame

    /// A flood: its name, and its frames by number.
    struct Flood: CustomTestStringConvertible, Sendable {
        var name: String
        var frames: @Sendable (UInt32) -> [Frame]
        var testDescription: String { self.name }
    }

    static let floods = [
        Flood(name: "rapid reset") { [.request($0 * 2 + 3), .reset($0 * 2 + 3)] },
        Flood(name: "ping") { _ in [.ping] },
        Flood(name: "settings") { _ in [.settings] },
        Flood(name: "empty data") { _ in [.data(1, [])] },
        Flood(name: "window update") { _ in [.windowUpdate(0, 1)] },
        Flood(name: "priority") { _ in [.priority(1)] },
        // Each request is malformed, so that we reset it.
        Flood(name: "provoked resets") { [.headers($0 * 2 + 3, [("Bad Name", "x")], end: true)] },
    ]

    private func server(_ configuration: HTTP2ServerConfiguration = .init()) throws -> (RawPeer, () -> [Recorder]) {
        var accepted: [Recorder] = []
        let peer = try RawPeer(
            .server(configuration) { stream, _ in
                accepted.append(Recorder(stream))
                return accepted[accepted.count - 1]
            }
        )
        peer.greet()
        peer.send(.request(1, end: false))
        return (peer, { accepted })
    }

    @Test(arguments: floods)
    func `A flood ends the connection`(_ flood: Flood) throws {
        let (peer, accepted) = try self.server()
        var sent: UInt32 = 0
        while peer.channel.isActive, sent < 10_000 {
            peer.send((sent..<sent + 10).flatMap(flood.frames))
            sent += 10
        }
        #expect(!peer.channel.isActive)
        #expect(sent < 2500)
        #expect(peer.goawayCode == 11)
        for call in accepted() { #expect(call.closed.count == 1) }
    }

    @Test(arguments: floods)
    func `The same frames spread over time do not`(_ flood: Flood) throws {
        let (peer, _) = try self.server()
        defer { peer.close() }
        for number in 0..<3000 as Range<UInt32> {
            peer.loop.advanceTime(by: .milliseconds(60))
            peer.send(flood.frames(number))
        }
        #expect(peer.channel.isActive)
        #expect(peer.goawayCode == nil)
    }

    @Test func `A ping for each frame of data is no flood`() throws {
        let (peer, accepted) = try self.server()
        defer { peer.close() }
        accepted()[0].stream?.sendHeaders(.ok)
        for _ in 0..<2000 {
            accepted()[0].stream?.sendData(ByteBuffer(bytes: [1]))
            peer.run()
            peer.send(.ping)
        }
        #expect(peer.channel.isActive)
        #expect(peer.goawayCode == nil)
    }

    @Test func `Every ping is acknowledged`() throws {
        let (peer, _) = try self.server()
        defer { peer.close() }
        for _ in 0..<50 { peer.send(.ping) }
        #expect(peer.frames.count { $0.type == 6 && $0.flags == 1 && $0.payload == Frame.ping.payload } == 50)
    }

    @Test func `A header list beyond the limit resets its stream only`() throws {
        let (peer, accepted) = try self.server()
        defer { peer.close() }
        let large = String(repeating: "x", count: 8000)
        let fields = (0..<5).map { ("name-\($0)", large) }
        let block = RawPeer.hpack(RawPeer.requestFields + fields)
        var frames = [Frame(type: 1, flags: 1, stream: 3, payload: Array(block[..<16_000]))]
        frames.append(Frame(type: 9, stream: 3, payload: Array(block[16_000..<32_000])))
        frames.append(Frame(type: 9, flags: 4, stream: 3, payload: Array(block[32_000...])))
        peer.send(frames)
        #expect(peer.resetCode(3) == 11)
        // No handler has heard of it.
        peer.send(.request(5))
        #expect(accepted()[1].headers != nil)
    }

    @Test func `A header bomb ends the connection`() throws {
        let (peer, accepted) = try self.server()
        // One field of 3 KiB enters the table, and is then named again and again by one byte.
        let name: [UInt8] = [0x40, 1, UInt8(ascii: "a"), 0x7f, 0x81, 0x17] + Array(repeating: 97, count: 3072)
        let block = RawPeer.hpack(RawPeer.requestFields) + name + Array(repeating: 0xbe, count: 8000)
        peer.send(Frame(type: 1, flags: 5, stream: 3, payload: block))
        #expect(!peer.channel.isActive)
        #expect(peer.goawayCode == 11)
        for call in accepted() { #expect(call.closed.count == 1) }
    }

    @Test func `Continuations without end end the connection`() throws {
        let (peer, _) = try self.server()
        peer.send(Frame(type: 1, flags: 1, stream: 3, payload: RawPeer.hpack(RawPeer.requestFields)))
        for _ in 0..<100 { peer.send(Frame(type: 9, stream: 3, payload: [])) }
        #expect(!peer.channel.isActive)
    }

    @Test func `A peer that reads nothing does not fill our memory`() throws {
        let (peer, _) = try self.server()
        peer.channel.isWritable = false
        for number in 0..<100_000 as Range<UInt32> where peer.channel.isActive {
            peer.loop.advanceTime(by: .milliseconds(60))
            peer.send(.ping, .headers(number * 2 + 3, [("Bad Name", "x")], end: true))
        }
        peer.loop.advanceTime(by: .seconds(3))
        #expect(!peer.channel.isActive)
    }

    @Test func `Streams beyond the limit are refused`() throws {
        var configuration = HTTP2ServerConfiguration()
        configuration.limits.concurrentStreamsMax = 3
        let (peer, accepted) = try self.server(configuration)
        defer { peer.close() }
        peer.send(.request(3), .request(5))
        #expect(accepted().count == 3)
        peer.send(.request(7))
        #expect(accepted().count == 3)
        #expect(peer.resetCode(7) == 7 || peer.goawayCode != nil)
    }

    @Test func `Something that is not HTTP/2 is turned away`() throws {
        let peer = try RawPeer(.server(HTTP2ServerConfiguration()) { stream, _ in Recorder(stream) })
        peer.send(bytes: Array("GET / HTTP/1.1\r\nHost: x\r\n\r\n".utf8))
        #expect(!peer.channel.isActive)
    }

    @Test func `Malformed requests reach no handler`() throws {
        let bad: [[(String, String)]] = [
            [(":method", "GET"), (":path", "/")],
            RawPeer.requestFields + [("Upper", "x")],
            RawPeer.requestFields + [("connection", "close")],
            RawPeer.requestFields + [("te", "gzip")],
            RawPeer.requestFields + [(":status", "200")],
            [("a", "b")] + RawPeer.requestFields,
            RawPeer.requestFields + [(":path", "/again")],
            RawPeer.requestFields + [("a", "b\nc")],
        ]
        for fields in bad {
            let (peer, accepted) = try self.server()
            peer.send(.headers(3, fields, end: true))
            #expect(accepted().dropFirst().allSatisfy { $0.headers == nil }, "\(fields)")
            #expect(peer.resetCode(3) != nil || peer.goawayCode != nil, "\(fields)")
            peer.close()
            for call in accepted() { #expect(call.closed.count == 1) }
        }
    }
}
