internal import BrasaHTTP2
internal import NIOCore

/// What comes of a response on the client, and how far it has been handed over. Decides; the call acts.
struct GRPCClientReceiving {
    enum Phase {
        /// Messages are handed over as they come.
        case open
        /// The response has ended; the caller has not been told.
        case whole(trailers: HTTP2Headers)
        /// The call is over: whatever comes is thrown away.
        case over
    }

    /// What is to be handed over next.
    enum Step {
        case message(GRPCMessageDecoder.Message)
        /// The response has ended, behind the last message.
        case end(trailers: HTTP2Headers)
        /// The response has ended within a message.
        case truncated
        /// Nothing, for now.
        case nothing
    }

    private var phase = Phase.open
    /// The caller takes no messages now.
    private var isPaused = false
    /// Messages are being handed over further up the stack.
    private var isDelivering = false
    private var bytes: GRPCReceivedBytes
    var encoding: GRPCEncoding?
    /// Response messages so far.
    private(set) var messages = 0

    init(messageBytesMax: Int) {
        self.bytes = GRPCReceivedBytes(messageBytesMax: messageBytesMax)
    }

    private var isOver: Bool { if case .over = self.phase { true } else { false } }

    /// All of the response is here, and waits for a caller that takes nothing.
    var isKept: Bool { if case .whole = self.phase { self.isPaused } else { false } }

    // MARK: What happens

    mutating func received(_ data: consuming ByteBuffer) {
        guard !self.isOver else { return }
        self.bytes.append(data)
    }

    /// The stream has ended, with these trailers or, in an answer that is not gRPC's, with none.
    mutating func ended(_ trailers: HTTP2Headers) {
        if case .open = self.phase { self.phase = .whole(trailers: trailers) }
    }

    mutating func pause() { self.isPaused = true }

    /// False when it was not paused.
    mutating func resume() -> Bool {
        defer { self.isPaused = false }
        return self.isPaused
    }

    /// False when somebody is at it already, or nothing is to be handed over any more.
    mutating func startDelivering() -> Bool {
        guard !self.isDelivering, !self.isOver else { return false }
        self.isDelivering = true
        return true
    }

    mutating func stopDelivering() { self.isDelivering = false }

    mutating func next() throws(GRPCFramingError) -> Step {
        guard !self.isPaused, !self.isOver else { return .nothing }
        if let message = try self.bytes.next() {
            self.messages += 1
            return .message(message)
        }
        guard case .whole(let trailers) = self.phase else { return .nothing }
        return self.bytes.bufferedBytes == 0 ? .end(trailers: trailers) : .truncated
    }

    /// The credit that is due: of everything but what waits for a caller that takes nothing.
    mutating func takeCredit() -> Int { self.bytes.takeCredit(isStopped: self.isPaused) }

    /// The call is over: lets go of everything. What is to be credited.
    mutating func close() -> Int {
        self.phase = .over
        return self.bytes.discard()
    }
}
