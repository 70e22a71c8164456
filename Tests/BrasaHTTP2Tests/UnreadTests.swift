import NIOCore
import NIOEmbedded
import Testing

@testable import BrasaHTTP2

/// Peers that do not read, and what they can make a server keep.
@Suite struct UnreadTests {
    typealias Frame = RawPeer.Frame

    /// A server whose client's streams begin with that window.
    private final class Server {
        let peer: RawPeer
        let budget: ByteBudget
        private final class Calls { var accepted: [Recorder] = [] }
        private let calls = Calls()

        var accepted: [Recorder] { self.calls.accepted }

        init(window: UInt32 = 65_535, budget bytesMax: Int = 16 << 20) throws {
            var configuration = HTTP2ServerConfiguration()
            configuration.keepalive = nil
            self.budget = ByteBudget(bytesMax: bytesMax)
            configuration.budget = self.budget
            let calls = self.calls
            self.peer = try RawPeer(
                .server(configuration) { stream, _ in
                    calls.accepted.append(Recorder(stream))
                    return calls.accepted[calls.accepted.count - 1]
                }
            )
            self.peer.send(bytes: Frame.preface)
            self.peer.send(Frame(type: 4, payload: [0, 4] + RawPeer.bigEndian(window)), .settingsAck)
        }

        deinit { self.peer.close() }

        /// A complete request, which is answered with so many bytes and, as they say, trailers.
        func answer(_ stream: UInt32, with count: Int, trailers: Bool = true) throws -> HTTP2Stream {
            self.peer.send(.request(stream))
            let answered = try #require(self.accepted.last?.stream)
            answered.sendHeaders(.ok)
            if count > 0 { answered.sendData(ByteBuffer(repeating: 7, count: count)) }
            if trailers { answered.sendTrailers(.trailers) }
            self.peer.run()
            return answered
        }

        func wait(_ time: TimeAmount) {
            self.peer.loop.advanceTime(by: time)
            self.peer.run()
        }

        func frames(_ type: UInt8, on stream: UInt32) -> [Frame] {
            self.peer.frames.filter { $0.type == type && $0.stream == stream }
        }
    }

    // MARK: Trailers

    @Test func `Trailers with no data before them leave though the window is closed`() throws {
        let server = try Server(window: 0)
        for id in [1, 3, 5] as [UInt32] {
            _ = try server.answer(id, with: 0)
            #expect(server.frames(1, on: id).map { $0.flags & 1 } == [0, 1])
            #expect(server.frames(0, on: id).isEmpty)
        }
        #expect(server.peer.connection.openStreams == 0)
        #expect(server.accepted.map(\.closed) == [[.finished], [.finished], [.finished]])
        #expect(server.budget.drawnBytes == ByteAccount.pieceBytes)
    }

    @Test(arguments: [true, false])
    func `Trailers behind data that has used up a window need none`(isOfStream: Bool) throws {
        let server = try Server(window: isOfStream ? 1000 : 100_000)
        let stream = try server.answer(1, with: isOfStream ? 1000 : 65_535, trailers: false)
        #expect(stream.bufferedBytes == 0)
        stream.sendTrailers(.trailers)
        server.peer.run()
        #expect(server.frames(1, on: 1).count == 2)
        #expect(server.accepted[0].closed == [.finished])
        // The window has nothing to do with the stream any more.
        let count = server.peer.frames.count
        server.peer.send(.windowUpdate(1, 1000), .windowUpdate(0, 1000))
        #expect(server.peer.frames.count == count)
        #expect(server.peer.goawayCode == nil)
    }

    @Test func `Trailers that come before the request's end tell the client to stop, whatever its window`() throws {
        let server = try Server(window: 0)
        server.peer.send(.request(1, end: false))
        server.accepted[0].stream?.sendHeaders(.ok)
        server.accepted[0].stream?.sendTrailers(.trailers)
        server.peer.run()
        #expect(server.frames(1, on: 1).count == 2)
        #expect(server.peer.resetCode(1) == 0)
        #expect(server.peer.connection.openStreams == 0)
        server.peer.send(.windowUpdate(1, 1000), .data(1, [1]))
        #expect(server.peer.goawayCode == nil)
        #expect(server.frames(0, on: 1).isEmpty)
    }

    @Test func `Trailers wait for what is before them`() throws {
        let server = try Server(window: 1000)
        _ = try server.answer(1, with: 2500)
        #expect(server.frames(1, on: 1).count == 1)
        server.peer.send(.windowUpdate(1, 1500))
        #expect(server.frames(0, on: 1).map(\.payload.count) == [1000, 1500])
        #expect(server.peer.frames.last?.type == 1)
        #expect(server.accepted[0].closed == [.finished])
    }

    // MARK: Time

    @Test(arguments: [1, 50_000, 500_000])
    func `A complete response that does not leave is given up`(_ count: Int) throws {
        let server = try Server(window: 0)
        _ = try server.answer(1, with: count)
        server.peer.send(.request(3))
        #expect(server.budget.drawnBytes >= count)
        server.wait(.seconds(60))
        #expect(server.peer.resetCode(1) == nil)
        server.wait(.seconds(60))
        #expect(server.peer.resetCode(1) == 8)
        #expect(server.accepted[0].closed == [.resetLocally(.cancel)])
        // A call that is not answered yet may take its time.
        server.wait(.hours(1))
        #expect(server.accepted[1].closed.isEmpty)
        #expect(server.peer.connection.account.usedBytes == HTTP2Stream.costBytes)
    }

    @Test func `A response that leaves slowly is not given up, until it stops`() throws {
        let server = try Server(window: 0)
        let stream = try server.answer(1, with: 400_000)
        let other = try server.answer(3, with: 400_000)
        for _ in 0..<5 {
            server.wait(.seconds(60))
            server.peer.send(.windowUpdate(1, 66_000), .windowUpdate(3, 10_000), .windowUpdate(0, 76_000))
        }
        #expect(stream.bufferedBytes == 70_000)
        #expect(!stream.isClosed)
        #expect(other.isClosed)
        server.wait(.seconds(120))
        #expect(stream.isClosed)
    }

    @Test(arguments: [(120_000, true), (1 << 20, false)])
    func `A connection that takes nothing is ended when room is scarce`(budget: Int, isEnded: Bool) throws {
        let server = try Server(window: 0, budget: budget)
        _ = try server.answer(1, with: 60_000, trailers: false)
        let idle = try Server(window: 0, budget: budget)
        idle.budget.drawAnyway(budget)
        idle.peer.send(.request(1))
        for _ in 0..<2 {
            #expect(server.peer.goawayCode == nil)
            server.wait(.seconds(60))
            idle.wait(.seconds(60))
        }
        #expect(server.peer.goawayCode == (isEnded ? 11 : nil))
        #expect(idle.peer.goawayCode == nil)
        #expect(idle.accepted[0].closed.isEmpty)
    }

    @Test func `A connection that takes a little is not ended`() throws {
        let server = try Server(window: 0, budget: 120_000)
        _ = try server.answer(1, with: 60_000, trailers: false)
        for _ in 0..<5 {
            server.wait(.seconds(60))
            server.peer.send(.windowUpdate(1, 1))
        }
        #expect(server.peer.goawayCode == nil)
        server.wait(.seconds(120))
        #expect(server.peer.goawayCode == 11)
    }

    // MARK: Ends

    @Test func `What happens after a connection's end times and counts nothing`() throws {
        let server = try Server()
        let parts = Frame.request(3).bytes
        server.peer.send(.request(1, end: false))
        let (peer, call) = (server.peer, server.accepted[0])
        // Torn down by a handler, in the middle of a read that ends within a header block.
        call.whenEnded = { _ in peer.channel.pipeline.fireChannelInactive() }
        peer.send(bytes: Frame.data(1, [1], end: true).bytes + parts.prefix(12))
        #expect(call.closed == [.connectionClosed])
        #expect(peer.connection.headerBlock.timer == nil)
        peer.connection.noteSocketIsFull(true)
        #expect(!peer.connection.room.isSocketFull)
        #expect(peer.connection.account.usedBytes == 0)
        #expect(server.budget.drawnBytes == 0)
    }

    // MARK: Room

    @Test func `A stream that finds no room is refused, and nothing has happened on it`() throws {
        let server = try Server(budget: 0)
        let count = ByteAccount.pieceBytes / HTTP2Stream.costBytes
        for number in 0...count { server.peer.send(.request(UInt32(number) * 2 + 1, end: false)) }
        let refused = UInt32(count) * 2 + 1
        #expect(server.accepted.count == count)
        #expect(server.peer.connection.openStreams == count)
        #expect(server.peer.resetCode(refused) == 7)
        #expect(server.budget.drawnBytes == ByteAccount.pieceBytes)
        // What was on its way.
        server.peer.send(.data(refused, [1], end: true))
        server.peer.send(.reset(1), .request(refused + 2))
        #expect(server.peer.goawayCode == nil)
        #expect(server.peer.resetCode(refused + 2) == nil)
        #expect(server.accepted.count == count + 1)
    }

    @Test func `What follows a request that is refused as one too many is ignored, whatever came between`() throws {
        let recorders = RecorderList()
        var configuration = HTTP2ServerConfiguration()
        configuration.limits.concurrentStreamsMax = 1
        let peer = try RawPeer(.server(configuration, acceptor: recorders.accept))
        defer { peer.close() }
        // The client does not know the limit yet.
        peer.send(bytes: Frame.preface)
        peer.send(.settings, .request(1, end: false))
        peer.send(.request(3, end: false), .reset(1), .request(5, end: false), .data(3, [1]), .data(3, [1], end: true))
        #expect(peer.goawayCode == nil)
        #expect(peer.resetCode(3) == 7)
        #expect(recorders.all.map { $0.stream?.id } == [1, 5])
        peer.send(.data(5, [1]), .settingsAck)
        #expect(recorders.all[1].body == [1])
        #expect(peer.channel.isActive && peer.goawayCode == nil)
    }

    @Test(arguments: [(200 << 10, true), (300 << 10, false)])
    func `What is kept though there is no room is bounded`(_ count: Int, isTaken: Bool) throws {
        let server = try Server(budget: 0)
        server.peer.send(.request(1))
        let account = try #require(server.accepted[0].stream).account
        account.add(count)
        server.accepted[0].whenClosed = { _ in account.remove(count) }
        server.peer.send(.ping)
        #expect(server.peer.goawayCode == (isTaken ? nil : 11))
    }
}
