internal import NIOCore

/// Streams that are gone, for those that come: a call then costs no stream. Emptied when the connection is idle, and
/// bounded by places that all connections together have (`ByteBudget.spareStreamsMax`).
struct StreamPool {
    /// As many as a client commonly has in flight.
    static let countMax = 64
    /// Places are drawn so many at a time: what all connections share is seldom touched.
    static let drawnAtOnce = 16

    private var streams: [HTTP2Stream] = []
    private(set) var places = 0

    /// What nghttp2 may keep for as many streams.
    var sessionBytesMax: Int { self.places * (1 << 10) }

    /// Whether the number of places has changed.
    mutating func put(_ stream: HTTP2Stream, for account: ByteAccount) -> Bool {
        var hasMore = false
        if self.streams.count == self.places {
            guard self.places < Self.countMax, account.drawSpareStreams(Self.drawnAtOnce) else { return false }
            self.places += Self.drawnAtOnce
            hasMore = true
        }
        self.streams.append(stream)
        return hasMore
    }

    /// A stream of the connection. One that somebody still has a reference to is left to them.
    mutating func take(for connection: HTTP2Connection, on eventLoop: any EventLoop) -> HTTP2Stream {
        while var stream = self.streams.popLast() {
            guard isKnownUniquelyReferenced(&stream) else { continue }
            stream.begin(on: connection)
            return stream
        }
        return HTTP2Stream(eventLoop: eventLoop, connection: connection)
    }

    mutating func removeAll(for account: ByteAccount) {
        self.streams = []
        account.giveBackSpareStreams(self.places)
        self.places = 0
    }
}
