import BrasaHTTP2
import NIOCore
import NIOEmbedded
import Testing

@Suite struct DrainTests {
    @Test func `A drain lets streams in flight finish and then closes`() throws {
        let link = try Loopback()
        defer { link.close() }
        let call = try link.get()
        try link.run()
        link.serverConnection.drain(grace: .seconds(10))
        try link.run()
        #expect(link.serverConnection.isDraining && link.clientConnection.isDraining)
        #expect(link.accepted[0].heardDraining)
        #expect(throws: HTTP2OpenError.draining) { try link.open() }
        try link.advance(by: .seconds(5))
        #expect(call.closed.isEmpty)
        link.accepted[0].echo()
        try link.run()
        #expect(call.closed == [.finished])
        #expect(!link.server.isActive)
    }

    @Test func `An idle connection drains at once`() throws {
        let link = try Loopback()
        defer { link.close() }
        link.serverConnection.drain(grace: .seconds(10))
        try link.run()
        #expect(!link.server.isActive)
    }

    @Test func `Requests that crossed the announcement are still taken`() throws {
        let link = try Loopback { $0.echo() }
        defer { link.close() }
        let call = try link.get()
        link.serverConnection.drain(grace: .seconds(10))
        try link.run()
        #expect(call.closed == [.finished])
        #expect(!link.server.isActive)
    }

    /// How far a request has come when the drain begins: its frames before, and those after.
    enum Crossing: String, CaseIterable, CustomTestStringConvertible, Sendable {
        case open, betweenHeaders, unsent
        var testDescription: String { self.rawValue }

        var frames: (before: [RawPeer.Frame], after: [RawPeer.Frame]) {
            let block = RawPeer.hpack(RawPeer.requestFields)
            let start = RawPeer.Frame(type: 1, stream: 3, payload: Array(block[..<5]))
            let rest = RawPeer.Frame(type: 9, flags: 4, stream: 3, payload: Array(block[5...]))
            switch self {
            case .open: return ([start, rest], [])
            case .betweenHeaders: return ([start], [rest])
            case .unsent: return ([], [start, rest])
            }
        }
    }

    @Test(arguments: Crossing.allCases)
    func `Every stream hears of the drain once, after its headers`(_ crossing: Crossing) throws {
        let recorders = RecorderList()
        let peer = try RawPeer(.server(HTTP2ServerConfiguration(), acceptor: recorders.accept))
        defer { peer.close() }
        peer.greet()
        peer.send(crossing.frames.before)
        peer.connection.drain(grace: .seconds(10))
        peer.run()
        peer.send(crossing.frames.after)
        peer.send(.data(3, [1, 2]))
        #expect(recorders.all.map { $0.drainings.map(\.afterHeaders) } == [[true]])
        #expect(recorders.all[0].bodyBytes == 2)
    }

    @Test func `Streams of a client that says GOAWAY hear of no drain`() throws {
        let recorders = RecorderList()
        let peer = try RawPeer(.server(HTTP2ServerConfiguration(), acceptor: recorders.accept))
        defer { peer.close() }
        peer.greet()
        peer.send(.request(1), .goaway(last: 0), .request(3))
        #expect(recorders.all.allSatisfy { !$0.heardDraining })
    }

    @Test func `When the grace is over streams may say so, the others are reset`() throws {
        let link = try Loopback()
        defer { link.close() }
        let polite = try link.get("/polite")
        let silent = try link.get("/silent")
        try link.run()
        link.accepted[0].whenGraceEnded = { call in
            call.stream?.sendHeaders(.ok)
            call.stream?.sendTrailers(HTTP2Headers([(.grpcStatus, "14")]))
        }
        link.serverConnection.drain(grace: .seconds(10))
        try link.run()
        try link.advance(by: .seconds(10))
        #expect(polite.trailers?.string(.grpcStatus) == "14")
        #expect(polite.closed == [.finished])
        #expect(silent.closed == [.resetByPeer(.cancel)])
        #expect(link.accepted[1].closed == [.resetLocally(.cancel)])
        #expect(!link.server.isActive)
    }

    @Test func `A peer that neither answers nor reads cannot hold a drain up`() throws {
        let recorders = RecorderList()
        let peer = try RawPeer(.server(HTTP2ServerConfiguration(), acceptor: recorders.accept))
        peer.greet()
        peer.send(.request(1))
        peer.channel.isWritable = false
        peer.connection.drain(grace: .seconds(10))
        peer.loop.advanceTime(by: .seconds(13))
        #expect(!peer.channel.isActive)
        #expect(recorders.all[0].closed.count == 1)
    }

    @Test func `After the final GOAWAY new streams are ignored`() throws {
        let recorders = RecorderList()
        let peer = try RawPeer(.server(HTTP2ServerConfiguration(), acceptor: recorders.accept))
        defer { peer.close() }
        peer.greet()
        peer.send(.request(1))
        peer.connection.drain(grace: .seconds(10))
        peer.run()
        peer.send(.request(3))
        #expect(recorders.all.count == 2)
        peer.loop.advanceTime(by: .seconds(1))
        peer.run()
        peer.send(.request(5))
        #expect(recorders.all.count == 2)
        #expect(peer.channel.isActive)
    }

    @Test func `A client learns which requests GOAWAY left out`() throws {
        let peer = try RawPeer(.client(HTTP2ClientConfiguration()))
        defer { peer.close() }
        var drained = 0
        peer.connection.onDraining = { drained += 1 }
        let calls = try (0..<4).map { _ in
            let call = Recorder()
            call.stream = try peer.connection.openStream(call)
            call.stream?.sendHeaders(.request(), endStream: true)
            return call
        }
        let unsent = Recorder()
        unsent.stream = try peer.connection.openStream(unsent)
        peer.run()
        peer.send(.settings, .settingsAck, .goaway(last: 3))
        #expect(drained == 1)
        #expect(calls.map(\.closed) == [[], [], [.refused], [.refused]])
        #expect(unsent.closed == [.refused])
        peer.send(.headers(1, [(":status", "200")], end: true), .headers(3, [(":status", "200")], end: true))
        #expect(calls.prefix(2).map(\.closed) == [[.finished], [.finished]])
        #expect(!peer.channel.isActive)
    }

    @Test func `Whoever hears that GOAWAY has left a request out may close the channel`() throws {
        let peer = try RawPeer(.client(HTTP2ClientConfiguration()))
        let calls = try (0..<4).map { _ in
            let call = Recorder()
            call.whenClosed = { _ in peer.channel.close(promise: nil) }
            call.stream = try peer.connection.openStream(call)
            call.stream?.sendHeaders(.request(), endStream: true)
            return call
        }
        peer.run()
        peer.send(.settings, .settingsAck, .goaway(last: 1))
        peer.run()
        #expect(calls.map(\.closed.count) == [1, 1, 1, 1])
        #expect(peer.connection.openStreams == 0)
    }

    @Test func `A client drains too`() throws {
        let link = try Loopback()
        defer { link.close() }
        let call = try link.get()
        try link.run()
        link.clientConnection.drain(grace: .seconds(5))
        try link.run()
        #expect(link.client.isActive)
        link.accepted[0].echo()
        try link.run()
        #expect(call.closed == [.finished])
        #expect(!link.client.isActive)
    }

    @Test func `A silent peer is probed and then dropped`() throws {
        var configuration = HTTP2ServerConfiguration()
        configuration.keepalive = HTTP2Keepalive(interval: .seconds(60), timeout: .seconds(20))
        let peer = try RawPeer(.server(configuration) { stream, _ in Recorder(stream) })
        peer.greet()
        peer.loop.advanceTime(by: .seconds(60))
        peer.loop.advanceTime(by: .seconds(60))
        peer.run()
        #expect(peer.frames.count { $0.type == 6 } == 1)
        peer.loop.advanceTime(by: .seconds(19))
        peer.send(.ping)
        peer.loop.advanceTime(by: .seconds(61))
        #expect(peer.channel.isActive)
        peer.loop.advanceTime(by: .seconds(120))
        #expect(!peer.channel.isActive)
    }

    @Test func `A live peer answers probes for ever`() throws {
        var configuration = HTTP2ClientConfiguration()
        configuration.keepalive = HTTP2Keepalive(interval: .seconds(10), timeout: .seconds(5))
        let link = try Loopback(client: configuration)
        defer { link.close() }
        for _ in 0..<100 { try link.advance(by: .seconds(4)) }
        #expect(link.client.isActive && link.server.isActive)
    }
}

/// What a server has accepted.
final class RecorderList {
    private(set) var all: [Recorder] = []

    func accept(_ stream: HTTP2Stream, _ headers: HTTP2Headers) -> any HTTP2StreamHandler {
        self.all.append(Recorder(stream))
        return self.all[self.all.count - 1]
    }
}
