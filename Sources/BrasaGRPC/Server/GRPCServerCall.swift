internal import BrasaHTTP2
package import NIOCore

/// One call on a server: the stream's handler and the service's handle on it in one object. Once the call is finished,
/// by whomever, sending does nothing, so whoever answers late need not know.
///
/// Unchecked, because it lives on one event loop, and `send`, `finish` and the rest check that. It is Sendable so that a
/// completion can carry it through another thread back to its loop.
package final class GRPCServerCall: @unchecked Sendable {
    // All state is guarded by the event loop.
    package let eventLoop: any EventLoop
    let connection: GRPCServerConnection
    let stream: HTTP2Stream
    /// What the request's headers had of the metadata that services read.
    package internal(set) var metadata = GRPCMetadata()
    var method: GRPCMethodTable.Method?
    package internal(set) var deadline: NIODeadline?
    /// Of the client's deadline, or of the time limit for receiving while that comes first.
    var deadlineTicket: DeadlineQueue<any DeadlineHolder>.Ticket?
    var phase = Phase.open
    var flags: Flags = []

    /// What the gate has found out about who calls; for whoever set up the gate.
    package var caller: AnyObject?

    // Receiving.
    var decoder: GRPCMessageDecoder
    var requestEncoding: GRPCEncoding?
    /// The one request of a unary or server-streaming call, until the client ends its side.
    var request: ByteBuffer?
    /// Bytes received whose credit the client has not got back.
    var uncreditedBytes = 0
    /// Of the one request, until the call ends: whoever answers it late keeps it, too.
    var requestBytes = 0
    /// What the service keeps besides.
    var heldBytes = 0
    /// What connection and account count for this call.
    var countedBytes = 0

    // The service's ears; let go of when the call is finished, since they usually hold the call.
    var handler: (any GRPCServerStreamHandler)?
    var cancelObserver: (() -> Void)?

    enum Phase {
        case open
        /// Our status is on its way, or the stream is reset.
        case finished
        /// The stream is gone before our status was.
        case cancelled
    }

    struct Flags: OptionSet {
        var rawValue: UInt16
        static var headersSent: Self { Self(rawValue: 1) }
        /// The client has ended its side.
        static var requestEnded: Self { Self(rawValue: 1 << 1) }
        /// The service has been told so.
        static var halfCloseDelivered: Self { Self(rawValue: 1 << 2) }
        static var readingPaused: Self { Self(rawValue: 1 << 3) }
        /// Messages are being delivered further up the stack.
        static var delivering: Self { Self(rawValue: 1 << 4) }
        /// The client reads gzip and writes it: so do we.
        static var compressResponses: Self { Self(rawValue: 1 << 5) }
        /// The time limit for receiving comes before the deadline.
        static var receiveTimed: Self { Self(rawValue: 1 << 6) }
        /// The connection is being drained.
        static var draining: Self { Self(rawValue: 1 << 7) }
        static var outcomeOpen: Self { Self(rawValue: 1 << 8) }
        /// It is being found out whether the call may go on.
        static var held: Self { Self(rawValue: 1 << 9) }
    }

    init(stream: HTTP2Stream, connection: GRPCServerConnection) {
        self.stream = stream
        self.eventLoop = stream.eventLoop
        self.connection = connection
        self.decoder = GRPCMessageDecoder(messageBytesMax: connection.server.limits.messageBytesMax)
    }

    /// What services keep for all calls of the call's connection, for example what they have looked up for the last one.
    package var connectionState: AnyObject? {
        get { self.connection.state }
        set { self.connection.state = newValue }
    }

    package var descriptor: GRPCMethodDescriptor? { self.method?.descriptor }

    package var allocator: ByteBufferAllocator { self.connection.allocator }

    /// The client is gone or the deadline has passed: work for this call is in vain.
    package var isCancelled: Bool { self.phase == .cancelled }

    package var isFinished: Bool { self.phase != .open }

    /// Whether the stream has room for more responses. Being told false asks for one `becameWritable`.
    package var isWritable: Bool { self.phase == .open && self.stream.isWritable }

    /// What was asked for may happen whether the call lives to see it or not: when the server ends the call early it must not
    /// say that nothing happened. Who can take it back does so when told that the call is cancelled, and says so here.
    package var hasOpenOutcome: Bool {
        get { self.flags.contains(.outcomeOpen) }
        set { if newValue { self.flags.insert(.outcomeOpen) } else { self.flags.remove(.outcomeOpen) } }
    }

    /// Called once if the call is cancelled before it is finished (see `isCancelled`); at once when it is already.
    package func onCancel(_ observer: @escaping () -> Void) {
        self.eventLoop.preconditionInEventLoop()
        switch self.phase {
        case .open: self.cancelObserver = observer
        case .finished: break
        case .cancelled: observer()
        }
    }
}

// MARK: Sending

extension GRPCServerCall {
    private static let responseHeaders = HTTP2Headers([(.status, "200"), (.contentType, "application/grpc")])
    private static let gzipResponseHeaders = HTTP2Headers([
        (.status, "200"), (.contentType, "application/grpc"), (.grpcEncoding, GRPCEncoding.gzip.name),
    ])
    private static let offeringResponseHeaders = HTTP2Headers([
        (.status, "200"), (.contentType, "application/grpc"), (.grpcAcceptEncoding, GRPCEncoding.accepted),
    ])

    /// An empty buffer for a response message, with room before it for the frame's prefix: what is written to it and then
    /// given to `send` is not copied.
    package func makeMessageBuffer(capacity: Int) -> ByteBuffer {
        GRPCMessageEncoder.makeBuffer(capacity: capacity, allocator: self.allocator)
    }

    /// Sends the response headers without waiting for the first message, with metadata if there is any. Does nothing when
    /// they are sent already.
    package func sendHeaders(_ metadata: GRPCMetadata? = nil) {
        self.eventLoop.preconditionInEventLoop()
        guard self.phase == .open, !self.flags.contains(.headersSent) else { return }
        self.flags.insert(.headersSent)
        var headers = self.flags.contains(.compressResponses) ? Self.gzipResponseHeaders : Self.responseHeaders
        if let metadata { headers.append(contentsOf: metadata) }
        self.stream.sendHeaders(headers)
    }

    /// Sends one response message. Nothing stops a caller that ignores `isWritable` but its own bound.
    package func send(_ message: consuming ByteBuffer) {
        self.sendHeaders()
        guard self.phase == .open else { return }
        var isCompressed = false
        if self.flags.contains(.compressResponses),
            message.readableBytes >= self.connection.server.limits.compressedResponseBytesMin,
            let compressed = self.connection.loop.gzip.deflate(message, allocator: self.allocator)
        {
            message = compressed
            isCompressed = true
        }
        let (first, second) = GRPCMessageEncoder.frame(message, isCompressed: isCompressed, allocator: self.allocator)
        self.stream.sendData(first)
        if let second { self.stream.sendData(second) }
    }

    /// Sends a response message that others are sent too.
    package func send(_ message: GRPCFramedMessage) {
        // Compressed it is this call's own.
        guard !self.flags.contains(.compressResponses) else { return self.send(message.payload) }
        self.sendHeaders()
        guard self.phase == .open else { return }
        self.send(message.bytes)
    }

    package func send(_ messages: GRPCFramedMessages) {
        guard !self.flags.contains(.compressResponses) else {
            self.send(messages.first)
            return self.send(messages.second)
        }
        self.sendHeaders()
        guard self.phase == .open else { return }
        self.send(messages.bytes)
    }

    private func send(_ bytes: FramedBytes) {
        self.stream.sendData(bytes.start)
        guard let rest = bytes.rest else { return }
        self.stream.sendData(rest.shared)
        self.stream.sendData(rest.end)
    }

    /// Sends what waits on the call's connection now if it is much, rather than at the end of the loop's turn.
    package func flushIfMuch() {
        guard self.phase == .open else { return }
        self.stream.flushIfMuch()
    }

    /// The one message of a successful unary call that changed nothing, and its status; RESOURCE_EXHAUSTED when there is
    /// no room for it.
    package func respond(_ message: consuming ByteBuffer) {
        guard self.hasRoom(for: message.readableBytes) else { return }
        self.respond(outcome: message)
    }

    /// The same for a call that may have changed something: what has happened is told in any case. Whether there is room
    /// was found out before the call was handed over, and is asked again (`hasRoom`) by whoever waits before the change.
    package func respond(outcome message: consuming ByteBuffer) {
        // What was held for the answer is let go of at the end, when it is counted where it waits: between the two somebody
        // else might take the room.
        self.send(message)
        self.finish(.ok)
    }

    /// Ends the call. Errors, too, come as headers and then trailers: the official Node client takes an error that comes
    /// before anything else for one of the connection and retries.
    package func finish(_ status: GRPCStatus, trailers metadata: GRPCMetadata? = nil) {
        self.sendHeaders()
        guard self.phase == .open else { return }
        self.end(.finished)
        self.stream.sendTrailers(status.trailers(with: metadata))
    }

    /// Ends the call from this room's side: the service hears that it is cancelled.
    func fail(_ status: GRPCStatus) {
        guard self.phase == .open else { return }
        let (handler, observer) = (self.handler, self.cancelObserver)
        self.finish(status)
        self.phase = .cancelled
        handler?.cancelled()
        observer?()
    }

    /// The request's encoding is unknown: say which ones are not.
    func refuseEncoding() {
        self.flags.insert(.headersSent)
        self.stream.sendHeaders(Self.offeringResponseHeaders)
        self.fail(GRPCStatus(.unimplemented, "The message encoding is not supported"))
    }

    /// Answers what is sent by another method than POST with a bare HTTP status.
    func refuseHTTPMethod() {
        self.flags.insert(.headersSent)
        self.end(.finished)
        GRPCProbeHandler.refuse(self.stream, isPost: false)
    }

    /// Lets go of everything that the end of the call makes useless.
    func end(_ phase: Phase) {
        self.phase = phase
        if let ticket = self.deadlineTicket {
            self.deadlineTicket = nil
            self.connection.loop.deadlines.remove(ticket)
        }
        self.handler = nil
        self.cancelObserver = nil
        self.request = nil
        self.requestBytes = 0
        self.heldBytes = 0
        self.metadata = GRPCMetadata()
        self.caller = nil
        self.decoder.discard()
        self.countKept()
        self.stream.consume(self.uncreditedBytes)
        self.uncreditedBytes = 0
    }
}
