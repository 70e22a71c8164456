import BrasaHTTP2
import NIOCore
import NIOEmbedded
import Testing

@Suite struct ExchangeTests {
    @Test func `A request with a body is answered with headers, data and trailers`() throws {
        let link = try Loopback { $0.echo() }
        defer { link.close() }
        let call = try link.get("/a.B/C", endStream: false)
        call.stream?.sendData(ByteBuffer(string: "hello "))
        call.stream?.sendData(ByteBuffer(string: "world"))
        call.stream?.finish()
        try link.run()
        #expect(link.accepted.first?.headers?.string(.path) == "/a.B/C")
        #expect(call.headers?.string(.status) == "200")
        #expect(call.body == Array("hello world".utf8))
        #expect(call.trailers?.string(.grpcStatus) == "0")
        #expect(call.closed == [.finished])
        #expect(link.accepted.first?.closed == [.finished])
        #expect(link.clientConnection.openStreams == 0 && link.serverConnection.openStreams == 0)
    }

    @Test func `A response may be one header list`() throws {
        let link = try Loopback { $0.stream?.sendHeaders(.ok, endStream: true) }
        defer { link.close() }
        let call = try link.get()
        try link.run()
        #expect(call.headers != nil && call.trailers == nil && call.ended)
        #expect(call.closed == [.finished])
    }

    @Test func `A body may be empty on both sides`() throws {
        let link = try Loopback { call in
            call.stream?.sendHeaders(.ok)
            call.stream?.finish()
        }
        defer { link.close() }
        let call = try link.get(endStream: false)
        call.stream?.finish()
        try link.run()
        #expect(call.ended && call.body.isEmpty)
        #expect(call.closed == [.finished])
    }

    @Test func `A client hears once that the server speaks HTTP/2`() throws {
        let peer = try RawPeer(.client(HTTP2ClientConfiguration()))
        defer { peer.close() }
        var heard = 0
        peer.connection.onPeerReady = { heard += 1 }
        peer.run()
        #expect(heard == 0)
        peer.send(.settings)
        #expect(heard == 1)
        peer.send(.settings)
        #expect(heard == 1)
    }

    @Test func `Informational responses are left out`() throws {
        let peer = try RawPeer(.client(HTTP2ClientConfiguration()))
        defer { peer.close() }
        let call = Recorder()
        call.stream = try peer.connection.openStream(call)
        call.stream?.sendHeaders(.request(), endStream: true)
        peer.run()
        peer.send(.settings, .settingsAck, .headers(1, [(":status", "103")], end: false))
        #expect(call.headers == nil)
        peer.send(
            .headers(1, [(":status", "200")], end: false),
            .data(1, [1, 2]),
            .headers(1, [("grpc-status", "0")], end: true)
        )
        #expect(call.headers?.string(.status) == "200")
        #expect(call.body == [1, 2])
        #expect(call.trailers?.count == 1)
        #expect(call.closed == [.finished])
    }

    @Test func `A response that is complete before its request asks the client to stop`() throws {
        let peer = try RawPeer(
            .server(HTTP2ServerConfiguration()) { stream, _ in
                let call = Recorder(stream)
                stream.sendHeaders(.ok, endStream: true)
                return call
            }
        )
        defer { peer.close() }
        peer.greet()
        peer.send(.request(1, end: false))
        #expect(peer.resetCode(1) == 0)
        #expect(peer.connection.openStreams == 0)
    }

    @Test func `A client sees an early response as finished`() throws {
        let link = try Loopback()
        defer { link.close() }
        let call = try link.get(endStream: false)
        try link.run()
        link.accepted.first?.stream?.sendHeaders(.ok)
        link.accepted.first?.stream?.sendTrailers(.trailers)
        try link.run()
        #expect(call.closed == [.finished])
        #expect(link.accepted.first?.closed == [.finished])
    }

    @Test(arguments: [1, 2, 7, 9, 1000])
    func `Every split of the bytes gives the same streams`(readBytes: Int) throws {
        let link = try Loopback { $0.echo() }
        defer { link.close() }
        link.readBytes = { readBytes }
        let body = (0..<3000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let calls = try (0..<5).map { _ in
            let call = try link.get(endStream: false)
            call.stream?.sendData(ByteBuffer(bytes: body))
            call.stream?.finish()
            return call
        }
        try link.run()
        for call in calls {
            #expect(call.body == body)
            #expect(call.closed == [.finished])
        }
    }

    @Test func `Five hundred streams at once do not mix`() throws {
        let link = try Loopback { $0.echo() }
        defer { link.close() }
        let calls = try (0..<500).map { number in
            let call = try link.get("/\(number)", endStream: false)
            call.stream?.sendData(ByteBuffer(string: "body \(number)"))
            call.stream?.finish()
            return call
        }
        try link.run()
        for (number, call) in calls.enumerated() {
            #expect(call.body == Array("body \(number)".utf8))
            #expect(call.closed == [.finished])
        }
    }

    @Test func `Requests beyond the peer's limit wait for their turn`() throws {
        var server = HTTP2ServerConfiguration()
        server.limits.concurrentStreamsMax = 2
        let link = try Loopback(server: server)
        defer { link.close() }
        let calls = try (0..<10).map { _ in try link.get() }
        try link.run()
        #expect(link.clientConnection.peerConcurrentStreamsMax == 2)
        #expect(link.accepted.count == 2)
        for position in 0..<10 {
            link.accepted[position].echo()
            try link.run()
        }
        for call in calls { #expect(call.closed == [.finished]) }
    }

    @Test func `A client opens no more streams than its limit`() throws {
        var client = HTTP2ClientConfiguration()
        client.limits.concurrentStreamsMax = 3
        let link = try Loopback(client: client)
        defer { link.close() }
        for _ in 0..<3 { _ = try link.get() }
        #expect(throws: HTTP2OpenError.tooManyStreams) { try link.open() }
        #expect(throws: HTTP2OpenError.notAClient) { try link.serverConnection.openStream(Recorder()) }
    }

    @Test func `A reset reaches the other side and both hear of it once`() throws {
        let link = try Loopback()
        defer { link.close() }
        let call = try link.get()
        try link.run()
        call.stream?.reset(.cancel)
        #expect(call.closed.isEmpty)
        call.stream?.sendData(ByteBuffer(string: "too late"))
        try link.run()
        #expect(call.closed == [.resetLocally(.cancel)])
        #expect(link.accepted.first?.closed == [.resetByPeer(.cancel)])
        link.accepted.first?.echo()
        try link.run()
        #expect(link.clientConnection.openStreams == 0 && link.serverConnection.openStreams == 0)
    }

    @Test func `A refused stream is known as safe to retry`() throws {
        let link = try Loopback()
        defer { link.close() }
        let call = try link.get()
        try link.run()
        link.accepted.first?.stream?.reset(.refusedStream)
        try link.run()
        #expect(call.closed == [.refused])
    }

    @Test func `A stream that never sent headers can be reset`() throws {
        let link = try Loopback()
        defer { link.close() }
        let call = try link.open()
        call.stream?.reset(.cancel)
        try link.run()
        #expect(call.closed == [.resetLocally(.cancel)])
        #expect(link.clientConnection.openStreams == 0)
    }

    @Test func `A request that waits for its turn can be reset`() throws {
        var server = HTTP2ServerConfiguration()
        server.limits.concurrentStreamsMax = 1
        let link = try Loopback(server: server)
        defer { link.close() }
        let first = try link.get()
        let second = try link.get()
        try link.run()
        second.stream?.reset(.cancel)
        try link.run()
        #expect(second.closed == [.resetLocally(.cancel)])
        link.accepted.first?.echo()
        try link.run()
        #expect(first.closed == [.finished])
        #expect(link.accepted.count == 1)
        #expect(link.clientConnection.openStreams == 0)
    }

    @Test func `Closing the channel closes every stream once`() throws {
        let link = try Loopback()
        let calls = try (0..<20).map { _ in try link.get() }
        let unsent = try link.open()
        try link.run()
        calls[3].stream?.reset(.cancel)
        link.close()
        for call in calls + [unsent] + link.accepted {
            #expect(call.closed.count == 1)
            #expect(call.eventsAfterClose == 0)
        }
        #expect(calls[0].closed == [.connectionClosed])
        calls[0].stream?.sendData(ByteBuffer(string: "nobody there"))
        calls[0].stream?.consume(5)
        #expect(throws: HTTP2OpenError.closed) { try link.open() }
    }

    @Test func `A handler may close the channel from within any event`() throws {
        let link = try Loopback()
        let calls = try (0..<5).map { _ in try link.get(endStream: false) }
        calls[0].stream?.sendData(ByteBuffer(string: "x"))
        link.server.closeFuture.whenComplete { _ in }
        let channel = link.server
        try link.run()
        link.accepted[1].consume = { _, _ in channel.close(promise: nil) }
        for call in calls { call.stream?.sendData(ByteBuffer(repeating: 1, count: 100)) }
        try link.run()
        for call in link.accepted { #expect(call.closed.count == 1) }
        link.close()
    }

    @Test func `Nothing is kept after the channel has closed`() throws {
        weak var connection: HTTP2Connection?
        weak var stream: HTTP2Stream?
        do {
            let link = try Loopback()
            let call = try link.get()
            try link.run()
            connection = link.serverConnection
            stream = call.stream
            link.close()
        }
        #expect(connection == nil)
        #expect(stream == nil)
    }
}
