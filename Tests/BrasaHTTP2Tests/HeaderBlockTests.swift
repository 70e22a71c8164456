import NIOCore
import NIOEmbedded
import Testing

@testable import BrasaHTTP2

/// Header blocks that arrive slowly or never whole.
@Suite struct HeaderBlockTests {
    private let budget = ByteBudget(bytesMax: 1 << 20)

    private func peer() throws -> RawPeer {
        var configuration = HTTP2ServerConfiguration()
        configuration.keepalive = nil
        configuration.budget = self.budget
        let peer = try RawPeer(.server(configuration) { stream, _ in Recorder(stream) })
        peer.greet()
        return peer
    }

    private static let block = RawPeer.hpack(RawPeer.requestFields)

    private func headers(_ payload: some Collection<UInt8>, end: Bool) -> RawPeer.Frame {
        RawPeer.Frame(type: 1, flags: end ? 5 : 1, stream: 1, payload: Array(payload))
    }

    private func continuation(_ payload: some Collection<UInt8>, end: Bool) -> RawPeer.Frame {
        RawPeer.Frame(type: 9, flags: end ? 4 : 0, stream: 1, payload: Array(payload))
    }

    @Test func `A block that is not whole in time ends the connection, however its frames are cut`() throws {
        let frames = self.headers(Self.block, end: true).bytes
        let starts = [
            self.headers(Self.block, end: false).bytes,
            self.headers(Self.block.prefix(10), end: false).bytes
                + self.continuation(Self.block.dropFirst(10), end: false).bytes,
            Array(frames.prefix(9)), Array(frames.dropLast()),
        ]
        for start in starts {
            let peer = try self.peer()
            peer.send(bytes: start)
            #expect(self.budget.drawnBytes > 96 << 10)
            peer.loop.advanceTime(by: .seconds(9))
            peer.run()
            #expect(peer.goawayCode == nil)
            peer.loop.advanceTime(by: .seconds(1))
            peer.run()
            #expect(peer.goawayCode == 11)
            peer.close()
            #expect(self.budget.drawnBytes == 0)
        }
    }

    @Test func `A block that comes in time is taken, and the next has its own time`() throws {
        let peer = try self.peer()
        peer.send(self.headers(Self.block.prefix(10), end: false))
        peer.loop.advanceTime(by: .seconds(9))
        peer.send(self.continuation(Self.block.dropFirst(10), end: true))
        #expect(self.budget.drawnBytes <= 2 * ByteAccount.pieceBytes)
        peer.loop.advanceTime(by: .seconds(9))
        peer.send(bytes: Array(RawPeer.Frame.request(3).bytes.prefix(12)))
        peer.loop.advanceTime(by: .seconds(9))
        peer.send(bytes: Array(RawPeer.Frame.request(3).bytes.dropFirst(12)))
        peer.loop.advanceTime(by: .seconds(60))
        peer.run()
        #expect(peer.goawayCode == nil)
        #expect(peer.connection.streams.count == 2)
        peer.close()
    }

    @Test func `A block that breaks a rule takes no longer than others`() throws {
        let fields = RawPeer.hpack(RawPeer.requestFields + [("Upper", "x")])
        for isWhole in [true, false] {
            let peer = try self.peer()
            peer.send(self.headers(fields, end: isWhole))
            peer.loop.advanceTime(by: .seconds(60))
            peer.run()
            #expect(peer.goawayCode == (isWhole ? nil : 11))
            if isWhole { #expect(peer.resetCode(1) != nil) }
            peer.close()
            #expect(self.budget.drawnBytes == 0)
        }
    }
}
