import BrasaHTTP2
import NIOCore
import NIOEmbedded
import Testing

/// Section 5 of RFC 9113: the states of streams, their ids, and what is ignored.
@Suite struct StreamConformanceTests {
    typealias Frame = RawPeer.Frame
    typealias Its = Exchange.Stream

    static let idle = [
        Exchange("5.1 DATA", .connectionError(.protocolError), .data(Its.idle, [1])),
        Exchange("5.1 RST_STREAM", .connectionError(.protocolError), .reset(Its.idle)),
        Exchange("5.1 WINDOW_UPDATE", .connectionError(.protocolError), .windowUpdate(Its.idle, 1)),
        Exchange("5.1 CONTINUATION", .connectionError(.protocolError), .continuation(Its.idle)),
        Exchange("5.1 PRIORITY", .fine, .priority(Its.idle)),
        Exchange("5.1 HEADERS", .served(Its.idle), .request(Its.idle)),
    ]

    @Test(arguments: idle) func `On an idle stream`(_ exchange: Exchange) throws { try exchange.run() }

    /// Frames that a peer may send on any stream that it has opened.
    static func harmless(_ id: UInt32) -> [Exchange] {
        [
            Exchange("5.1 WINDOW_UPDATE", .fine, .windowUpdate(id, 1)),
            Exchange("5.1 PRIORITY", .fine, .priority(id)),
            Exchange("5.1 RST_STREAM", .fine, .reset(id)),
            Exchange("5.1 RST_STREAM twice", .fine, .reset(id), .reset(id)),
        ]
    }

    /// What nobody may send behind the end of his side.
    static func late(_ id: UInt32) -> [Exchange] {
        [
            Exchange("5.1 DATA", .connectionError(.streamClosed), .data(id, [1])),
            Exchange("5.1 DATA with END_STREAM", .connectionError(.streamClosed), .data(id, [], end: true)),
            Exchange("5.1 HEADERS", .connectionError(.streamClosed), .trailers(id)),
            Exchange(
                "5.1 HEADERS in parts",
                .connectionError(.streamClosed),
                .block(id, [], flags: 1),
                .continuation(id)
            ),
            Exchange("5.1 a request", .connectionError(.streamClosed), .request(id)),
        ]
    }

    @Test(arguments: [Its.halfClosed, Its.finished, Its.resetByClient, Its.endedAndReset], Exchange.Delivery.allCases)
    func `Behind the client's END_STREAM or RST_STREAM`(_ id: UInt32, _ delivery: Exchange.Delivery) throws {
        for exchange in Self.harmless(id) + Self.late(id) { try exchange.run(delivery) }
    }

    @Test(arguments: Exchange.Delivery.allCases)
    func `Behind the client's RST_STREAM, in the same read`(_ delivery: Exchange.Delivery) throws {
        for id in [Its.open, Its.halfClosed] {
            for exchange in Self.late(id) {
                try Exchange(exchange.name, exchange.outcome, [.data(Its.open, [1]), .reset(id)] + exchange.frames)
                    .run(delivery)
            }
        }
    }

    @Test(arguments: [Its.resetByServer, Its.answeredEarly])
    func `Frames that can have crossed the server's RST_STREAM are ignored, up to the client's end`(
        _ id: UInt32
    ) throws {
        for exchange in Self.harmless(id) { try exchange.run() }
        let crossing: [[Frame]] = [[], [.data(id, [1])], [.data(id, [1]), .data(id, []), .data(id, [1, 2])]]
        for crossing in crossing {
            try Exchange("DATA", .fine, crossing).run()
            try Exchange("DATA, END_STREAM", .fine, crossing + [.data(id, [], end: true)]).run()
            try Exchange("DATA, trailers", .fine, crossing + [.trailers(id)]).run()
            for end in [Frame.data(id, [], end: true), .trailers(id), .reset(id)] {
                for late in Self.late(id) {
                    try Exchange(late.name, late.outcome, crossing + [end] + late.frames).run()
                }
            }
        }
    }

    @Test func `What was reset too long ago to be remembered is ignored`() throws {
        let recorders = RecorderList()
        let peer = try RawPeer(.server(HTTP2ServerConfiguration(), acceptor: recorders.accept))
        defer { peer.close() }
        peer.greet()
        for id in stride(from: 1 as UInt32, to: 1001, by: 2) {
            peer.send(.request(id, end: false))
            recorders.all.last?.stream?.reset(.cancel)
            peer.run()
        }
        // The client has ended the last and one that is forgotten; of the others frames may be on their way.
        peer.send(.data(999, [], end: true), .data(11, [], end: true))
        for id in [1, 11, 11, 501, 997] as [UInt32] { peer.send(.data(id, [1])) }
        #expect(peer.channel.isActive && peer.goawayCode == nil)
        peer.send(.data(999, [1]))
        #expect(!peer.channel.isActive && peer.goawayCode == 5)
    }

    static let identifiers = [
        Exchange("5.1.1 a request on stream 0", .connectionError(.protocolError), .request(0)),
        Exchange("5.1.1 an even id", .connectionError(.protocolError), .request(Its.idle + 1)),
        Exchange("5.1.1 ids may be left out", .served(Its.idle + 20), .request(Its.idle + 20)),
        // A new id closes all idle ones below it.
        Exchange(
            "5.1.1 an id below the newest",
            .connectionError(.streamClosed),
            .request(Its.idle + 20),
            .request(Its.idle)
        ),
        Exchange("5.1.1 the highest id", .served(0x7fff_ffff), .request(99), .request(0x7fff_ffff)),
        Exchange(
            "5.3 HEADERS of a stream that depends on itself",
            .connectionError(.protocolError),
            .block(Its.idle, RawPeer.bigEndian(Its.idle) + [1] + RawPeer.hpack(RawPeer.requestFields), flags: 0x25)
        ),
        Exchange(
            "5.3 PRIORITY of a stream that depends on itself",
            .connectionError(.protocolError),
            Frame(type: 2, stream: Its.open, payload: RawPeer.bigEndian(Its.open) + [1])
        ),
    ]

    @Test(arguments: identifiers) func `Stream identifiers`(_ exchange: Exchange) throws { try exchange.run() }

    @Test func `5.1.2 More streams than the setting says are refused, or end the connection`() throws {
        for isAcknowledged in [false, true] {
            var configuration = HTTP2ServerConfiguration()
            configuration.limits.concurrentStreamsMax = 1
            let recorders = RecorderList()
            let peer = try RawPeer(.server(configuration, acceptor: recorders.accept))
            defer { peer.close() }
            peer.send(bytes: Frame.preface)
            peer.send(.settings)
            if isAcknowledged { peer.send(.settingsAck) }
            peer.send(.request(1, end: false), .request(3, end: false))
            #expect(recorders.all.count == 1)
            #expect(isAcknowledged ? peer.goawayCode == 1 : peer.resetCode(3) == 7)
            // The client cannot know of the refusal yet.
            peer.send(.data(3, [1]), .data(3, [], end: true))
            #expect(isAcknowledged || peer.channel.isActive)
        }
    }
}
