import BrasaHTTP2
import NIOCore
import NIOEmbedded
import Testing

@Suite struct FlowControlTests {
    private func tiny(window: Int) -> HTTP2ServerConfiguration {
        var server = HTTP2ServerConfiguration()
        server.limits.streamWindowBytes = window
        return server
    }

    @Test(arguments: [1, 100, 65_535])
    func `A large body passes a small window`(window: Int) throws {
        let link = try Loopback(server: self.tiny(window: window)) { call in
            call.stream?.sendHeaders(.ok)
            call.stream?.finish()
        }
        defer { link.close() }
        let count = window == 1 ? 2000 : 300_000
        let call = try link.get(endStream: false)
        call.stream?.sendData(ByteBuffer(bytes: (0..<count).map { UInt8(truncatingIfNeeded: $0) }))
        call.stream?.finish()
        try link.run()
        #expect(link.accepted.first?.body == (0..<count).map { UInt8(truncatingIfNeeded: $0) })
        #expect(call.closed == [.finished])
    }

    @Test func `A consumer that stalls stops the producer at the window`() throws {
        let link = try Loopback(server: self.tiny(window: 10_000))
        defer { link.close() }
        let call = try link.get(endStream: false)
        try link.run()
        let sink = link.accepted[0]
        sink.consume = { _, _ in }
        call.stream?.sendData(ByteBuffer(repeating: 1, count: 1_000_000))
        try link.run()
        #expect(sink.bodyBytes == 10_000)
        #expect(call.stream?.bufferedBytes == 990_000)
        #expect(call.stream?.isWritable == false)
        sink.stream?.consume(6_000)
        try link.run()
        #expect(sink.bodyBytes == 16_000)
        // What was never received opens no window.
        sink.consume = { $0.stream?.consume($1 * 5) }
        sink.stream?.consume(.max)
        try link.run()
        #expect(sink.bodyBytes == 1_000_000)
        #expect(call.wakeUps == 1)
    }

    @Test func `Streams that nobody consumes do not stop the others`() throws {
        var server = self.tiny(window: 20_000)
        server.limits.connectionWindowBytes = 100_000
        let link = try Loopback(server: server)
        defer { link.close() }
        let stalled = try (0..<4).map { _ in try link.get(endStream: false) }
        try link.run()
        for sink in link.accepted { sink.consume = { _, _ in } }
        for call in stalled { call.stream?.sendData(ByteBuffer(repeating: 1, count: 50_000)) }
        let free = try link.get(endStream: false)
        free.stream?.sendData(ByteBuffer(repeating: 2, count: 1_000_000))
        try link.run()
        #expect(link.accepted[4].bodyBytes == 1_000_000)
        for sink in link.accepted[..<4] { #expect(sink.bodyBytes == 20_000) }
    }

    @Test func `What is much leaves when a stream asks, what is little or waits for its peer at the end of the turn`()
        throws
    {
        let link = try Loopback()
        defer { link.close() }
        let calls = try (0..<2).map { _ in try link.get() }
        try link.run()
        let (stuck, other) = (link.accepted[0].stream, link.accepted[1].stream)
        func flushed() throws -> Int {
            other?.flushIfMuch()
            var count = 0
            while let bytes = try link.server.readOutbound(as: ByteBuffer.self) {
                count += bytes.readableBytes
                try link.client.writeInbound(bytes)
            }
            return count
        }
        for stream in [stuck, other] { stream?.sendHeaders(.ok) }
        other?.sendData(ByteBuffer(repeating: 1, count: 1_000))
        #expect(try flushed() == 0)
        other?.sendData(ByteBuffer(repeating: 1, count: 40_000))
        #expect(try flushed() > 41_000)
        #expect(calls[1].bodyBytes == 41_000)
        #expect(try flushed() == 0)
        // A client that gives no credit keeps much waiting: that is no reason to send each byte of the others by itself.
        calls[0].consume = { _, _ in }
        stuck?.sendData(ByteBuffer(repeating: 2, count: 1_000_000))
        try link.run()
        #expect((stuck?.bufferedBytes ?? 0) > 500_000)
        other?.sendData(ByteBuffer(repeating: 3, count: 1_000))
        #expect(try flushed() == 0)
        try link.run()
        #expect(calls[1].bodyBytes == 42_000)
        link.close()
        other?.flushIfMuch()
        #expect(calls.allSatisfy { $0.closed.count == 1 })
    }

    @Test func `What a closed stream never consumed is given back to the connection`() throws {
        var server = self.tiny(window: 60_000)
        server.limits.connectionWindowBytes = 65_535
        let link = try Loopback(server: server)
        defer { link.close() }
        for round in 0..<50 {
            let call = try link.get(endStream: false)
            try link.run()
            let sink = link.accepted[round]
            sink.consume = { _, _ in }
            call.stream?.sendData(ByteBuffer(repeating: 1, count: 60_000))
            try link.run()
            #expect(sink.bodyBytes == 60_000)
            if round % 2 == 0 { call.stream?.reset(.cancel) } else { sink.stream?.reset(.cancel) }
            try link.run()
            sink.stream?.consume(60_000)
        }
    }

    @Test func `Data for a stream that was just reset is given back too`() throws {
        var server = self.tiny(window: 60_000)
        server.limits.connectionWindowBytes = 65_535
        let link = try Loopback(server: server)
        defer { link.close() }
        for round in 0..<20 {
            let call = try link.get(endStream: false)
            try link.run()
            call.stream?.sendData(ByteBuffer(repeating: 1, count: 60_000))
            link.loop.run()
            link.accepted[round].stream?.reset(.cancel)
            try link.run()
            #expect(call.closed == [.resetByPeer(.cancel)])
        }
        let last = try link.get(endStream: false)
        last.stream?.sendData(ByteBuffer(repeating: 1, count: 200_000))
        try link.run()
        #expect(link.accepted.last?.bodyBytes == 200_000)
    }

    @Test func `Data for streams that are gone is given back among data that is consumed`() throws {
        var server = self.tiny(window: 65_535)
        server.limits.connectionWindowBytes = 65_535
        var sinks: [Recorder] = []
        let peer = try RawPeer(
            .server(server) { stream, _ in
                let sink = Recorder(stream)
                sinks.append(sink)
                return sink
            }
        )
        defer { peer.close() }
        peer.greet()
        let bytes = [UInt8](repeating: 1, count: 5_000)
        // A peer that counts, as far as the connection goes.
        var credit = 65_535
        var seen = peer.frames.count
        for round in 0..<100 as Range<UInt32> {
            peer.send(.request(4 * round + 1, end: false), .request(4 * round + 3, end: false))
            sinks.last?.stream?.reset(.cancel)
            peer.run()
            credit -= 2 * bytes.count
            try #require(credit >= 0, "after \(round) rounds")
            peer.send(.data(4 * round + 3, bytes), .data(4 * round + 1, bytes, end: true))
            for frame in peer.frames[seen...] where frame.type == 8 && frame.stream == 0 {
                credit += Int(frame.payload.reduce(0) { $0 << 8 | UInt32($1) })
            }
            seen = peer.frames.count
            #expect(credit <= 65_535)
        }
        #expect(sinks.map(\.bodyBytes).reduce(0, +) == 100 * bytes.count)
    }

    @Test func `Padding counts against the window and is given back`() throws {
        var server = self.tiny(window: 65_535)
        server.limits.connectionWindowBytes = 65_535
        let sink = Recorder()
        let peer = try RawPeer(
            .server(server) { stream, _ in
                sink.stream = stream
                return sink
            }
        )
        defer { peer.close() }
        peer.greet()
        peer.send(.request(1, end: false))
        let padded = [UInt8(255)] + Array(repeating: 5, count: 10) + Array(repeating: 0, count: 255)
        // A peer that counts: it sends only while the windows that it was given allow it.
        var credit = [0: 65_535, 1: 65_535]
        var seen = peer.frames.count
        for _ in 0..<2000 {
            guard credit.values.allSatisfy({ $0 >= padded.count }) else { break }
            credit = credit.mapValues { $0 - padded.count }
            peer.send(RawPeer.Frame(type: 0, flags: 8, stream: 1, payload: padded))
            for frame in peer.frames[seen...] where frame.type == 8 {
                credit[Int(frame.stream), default: 0] += frame.payload.reduce(0) { $0 << 8 | Int($1) }
            }
            seen = peer.frames.count
        }
        #expect(sink.bodyBytes == 20_000)
    }

    @Test func `A full channel keeps output in the streams until it drains`() throws {
        let link = try Loopback()
        defer { link.close() }
        let call = try link.get()
        try link.run()
        let source = link.accepted[0]
        link.server.isWritable = false
        source.stream?.sendHeaders(.ok)
        source.stream?.sendData(ByteBuffer(repeating: 3, count: 300_000))
        #expect(source.stream?.isWritable == false)
        try link.run()
        #expect(source.stream?.bufferedBytes == 300_000)
        #expect(call.headers == nil)
        link.server.isWritable = true
        link.server.pipeline.fireChannelWritabilityChanged()
        try link.run()
        #expect(call.bodyBytes == 300_000)
        #expect(source.wakeUps == 1)
    }

    @Test func `A producer that writes only when told to gets everything out`() throws {
        var server = self.tiny(window: 8 << 20)
        server.limits.connectionWindowBytes = 8 << 20
        let link = try Loopback(server: server)
        defer { link.close() }
        let call = try link.get(endStream: false)
        try link.run()
        var left = 3_000_000
        call.whenWritable = { call in
            while left > 0, call.stream?.isWritable == true {
                call.stream?.sendData(ByteBuffer(repeating: 1, count: 50_000))
                left -= 50_000
            }
            if left == 0 { call.stream?.finish() }
        }
        call.whenWritable(call)
        try link.run()
        #expect(link.accepted[0].ended && link.accepted[0].bodyBytes == 3_000_000)
        call.whenWritable = { _ in }
    }

    @Test func `A full connection lets every stream go on, but none pile up`() throws {
        var server = HTTP2ServerConfiguration()
        server.limits.connectionBufferedBytesMax = 10_000
        let link = try Loopback(server: server)
        defer { link.close() }
        let calls = try (0..<3).map { _ in try link.get() }
        try link.run()
        link.server.isWritable = false
        for source in link.accepted { source.stream?.sendHeaders(.ok) }
        link.accepted[0].stream?.sendData(ByteBuffer(repeating: 1, count: 10_000))
        link.accepted[1].stream?.sendData(ByteBuffer(repeating: 1, count: 1))
        #expect(link.accepted.map { $0.stream?.isWritable } == [false, false, true])
        link.server.isWritable = true
        link.server.pipeline.fireChannelWritabilityChanged()
        try link.run()
        #expect(calls.map(\.bodyBytes) == [10_000, 1, 0])
        #expect(link.accepted.map(\.wakeUps) == [1, 1, 0])
    }

    /// Streams of random sizes, consumed in random pieces at random times, some reset: all credit comes back, so that in
    /// the end a large body still passes.
    @Test(arguments: 0..<30)
    func `Windows lose and invent nothing`(seed: Int) throws {
        var random = SeededGenerator(seed)
        var server = self.tiny(window: Int.random(in: 1...20_000, using: &random))
        server.limits.connectionWindowBytes = 70_000
        let window = server.limits.streamWindowBytes
        let link = try Loopback(server: server)
        defer { link.close() }
        var reads = SeededGenerator(seed + 1000)
        link.readBytes = { Int.random(in: 1...40_000, using: &reads) }
        var calls: [(call: Recorder, sent: Int)] = []
        var pending: [Int] = []
        for _ in 0..<20 {
            let sent = Int.random(in: 0...60_000, using: &random)
            let call = try link.get(endStream: false)
            call.stream?.sendData(ByteBuffer(repeating: 9, count: sent))
            call.stream?.finish()
            calls.append((call, sent))
            try link.run()
            while pending.count < link.accepted.count {
                let position = pending.count
                // The first pieces came before this line: consumed by default.
                pending.append(0)
                link.accepted[position].consume = { _, count in pending[position] += count }
            }
            for position in pending.indices where Bool.random(using: &random) {
                let part = Int.random(in: 0...pending[position], using: &random)
                pending[position] -= part
                link.accepted[position].stream?.consume(part)
                #expect(pending[position] <= window)
            }
            if Int.random(in: 0..<4, using: &random) == 0 {
                let victim = Int.random(in: 0..<calls.count, using: &random)
                let stream = Bool.random(using: &random) ? calls[victim].call.stream : link.accepted[victim].stream
                stream?.reset(.cancel)
                calls[victim].sent = -1
            }
        }
        while pending.contains(where: { $0 > 0 }) {
            for position in pending.indices {
                let part = pending[position]
                pending[position] = 0
                link.accepted[position].stream?.consume(part)
            }
            try link.run()
        }
        for (position, (_, sent)) in calls.enumerated() where sent >= 0 {
            #expect(link.accepted[position].bodyBytes == sent)
        }
        let last = try link.get(endStream: false)
        last.stream?.sendData(ByteBuffer(repeating: 1, count: 300_000))
        try link.run()
        #expect(link.accepted.last?.bodyBytes == 300_000)
    }
}
