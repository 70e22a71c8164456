package import NIOCore

/// One request and its response. Used on the connection's event loop only; once the stream is closed every method
/// does nothing, so whoever answers late need not know.
package final class HTTP2Stream {
    package let eventLoop: any EventLoop
    /// Of the connection: whoever keeps bytes for this stream counts them here, until `closed` at most.
    package let account: ByteAccount
    /// Zero on a client until its headers are sent.
    package internal(set) var id: Int32 = 0

    // The connection uses a stream again when it is gone and nobody else has it (`StreamPool`): what is added here is to be
    // set back in `begin`.

    // All state is guarded by the event loop. First what each message asks for: thousands of streams are not in the
    // processor's caches.
    var sending = HTTP2Sending.fresh
    var receiving = HTTP2Receiving.headersAwaited
    /// nghttp2 has asked for data, found none, and waits to be told.
    var isDeferred = false
    /// Somebody was told that the stream is not writable.
    var awaitsWritability = false
    /// How this side ended the stream before its time; its handler hears of it in the next pump.
    var localEnd: HTTP2CloseReason?
    var connection: HTTP2Connection?
    var handler: (any HTTP2StreamHandler)?
    var queue = OutboundQueue()
    /// They follow what waits in the queue, once `sending` is `whole`.
    var trailers: OutboundHeaders?
    var window: ReceiveWindow
    /// What `account` counts for the stream besides what waits to be sent.
    var countedBytes = 0
    /// What waited when the connection last looked who does not read, if the message was complete then.
    var unreadBytesSeen: Int?
    /// The handler has heard of the drain.
    var isToldDraining = false

    /// About what a stream and its call take by themselves, nghttp2's part included.
    static let costBytes = 2 << 10

    // Links of `StreamList`, which owns the streams.
    var next: HTTP2Stream?
    unowned(unsafe) var previous: HTTP2Stream?

    init(eventLoop: any EventLoop, connection: HTTP2Connection) {
        self.window = ReceiveWindow(size: connection.limits.streamWindowBytes)
        self.eventLoop = eventLoop
        self.account = connection.account
        self.connection = connection
    }

    /// Turns a stream that is gone into another of its connection.
    func begin(on connection: HTTP2Connection) {
        self.window = ReceiveWindow(size: connection.limits.streamWindowBytes)
        self.connection = connection
        self.id = 0
        self.sending = .fresh
        self.receiving = .headersAwaited
        self.isDeferred = false
        self.awaitsWritability = false
        self.isToldDraining = false
        self.localEnd = nil
        self.unreadBytesSeen = nil
    }

    /// An empty buffer that an earlier message left, if it has that much room.
    package func takeSpareBuffer(capacity: Int) -> ByteBuffer? {
        self.queue.takeSpare(capacity: capacity)
    }

    /// Whether `closed` has been called, or is about to be because of `reset`.
    package var isClosed: Bool { self.connection == nil || self.localEnd != nil }

    /// Bytes that wait to be sent.
    package var bufferedBytes: Int { self.queue.readableBytes }

    /// Whether so many bytes more may wait for the peer, on all streams of the connection together and in the process. To
    /// be asked before something is made that is sent whole; streaming goes by `isWritable`.
    package func hasRoom(for count: Int) -> Bool { self.connection?.hasRoom(for: count) ?? true }

    /// Whether there is room for more; nothing stops a caller from sending regardless. Being told false asks for one
    /// call of `becameWritable` when that changes.
    package var isWritable: Bool {
        guard !self.isClosed, let connection = self.connection else { return false }
        let writable = connection.isWritable(
            withWaiting: self.bufferedBytes,
            mark: connection.limits.streamHighWaterBytes
        )
        if !writable { self.awaitsWritability = true }
        return writable
    }

    /// The response's headers, or the request's. Once, and first. With `endStream` the message is complete
    /// (what gRPC calls trailers-only).
    package func sendHeaders(_ headers: HTTP2Headers, endStream: Bool = false) {
        self.send(headers: .list(headers), endStream: endStream)
    }

    package func sendHeaders(_ headers: HTTP2HeaderBlock, endStream: Bool = false) {
        self.send(headers: .block(headers), endStream: endStream)
    }

    private func send(headers: OutboundHeaders, endStream: Bool) {
        guard let connection = self.usableConnection() else { return }
        guard self.sending.begin(endStream: endStream) else { return assertionFailure("headers sent twice") }
        connection.submit(headers, endStream: endStream, on: self)
    }

    package func sendData(_ data: ByteBuffer) {
        guard let connection = self.usableConnection() else { return }
        guard self.sending == .body else { return assertionFailure("data outside the body") }
        self.queue.append(data)
        connection.bodyGrew(by: data.readableBytes, on: self)
    }

    /// Sends what waits on the connection, this stream's and others', now if it is much, rather than at the end of the
    /// loop's turn. Streams of the connection, this one too, may be closed before it returns.
    package func flushIfMuch() {
        self.usableConnection()?.flushIfMuch()
    }

    /// Ends the message with trailers, which follow whatever still waits to be sent.
    package func sendTrailers(_ trailers: HTTP2Headers) {
        self.send(trailers: .list(trailers))
    }

    package func sendTrailers(_ trailers: HTTP2HeaderBlock) {
        self.send(trailers: .block(trailers))
    }

    private func send(trailers: OutboundHeaders) {
        guard let connection = self.usableConnection() else { return }
        guard self.sending.complete() else { return assertionFailure("trailers outside the body") }
        connection.count(trailers.keptBytes, on: self)
        connection.end(self, with: trailers)
    }

    /// Ends the message without trailers.
    package func finish() {
        guard let connection = self.usableConnection() else { return }
        guard self.sending.complete() else { return assertionFailure("finished outside the body") }
        connection.bodyGrew(by: 0, on: self)
    }

    /// Ends the stream at once in both directions: what waits to be sent is dropped, nothing more is received, and
    /// `closed(.resetLocally(code))` follows within the same turn of the event loop, not inside this call.
    package func reset(_ code: HTTP2ErrorCode) {
        guard let connection = self.usableConnection() else { return }
        connection.reset(self, code)
    }

    /// Opens the peer's windows by that many received bytes. Beyond what was received it has no effect.
    package func consume(_ bytes: Int) {
        guard bytes > 0, let connection = self.connection else { return }
        self.eventLoop.assertInEventLoop()
        connection.consume(bytes, of: self)
    }

    private func usableConnection() -> HTTP2Connection? {
        self.eventLoop.assertInEventLoop()
        return self.localEnd == nil ? self.connection : nil
    }
}
