internal import NIOCore

/// One direction of a call on the server: what comes of a request, and how far it has been handed over. Decides; the call
/// acts.
struct GRPCReceiving {
    enum Phase: Equatable {
        /// It is being found out whether the call may go on.
        case held(isWhole: Bool)
        /// Messages are handed over as they come.
        case open
        /// The client has ended its side; the service has not been told.
        case whole
        /// The service has been told.
        case handedOver
        /// The call is over: whatever comes is thrown away.
        case over
    }

    /// What is to be handed over next.
    enum Step {
        case message(GRPCMessageDecoder.Message)
        /// The client has ended its side, behind the last message.
        case end
        /// The client has ended its side within a message.
        case truncated
        /// Nothing, for now.
        case nothing
    }

    private(set) var phase = Phase.held(isWhole: false)
    /// The service takes no messages now.
    private(set) var isPaused = false
    /// Messages are being handed over further up the stack.
    private var isDelivering = false
    private var bytes: GRPCReceivedBytes
    var encoding: GRPCEncoding?
    /// The one request of a unary or server-streaming call, until the client ends its side.
    private var request: ByteBuffer?

    init(messageBytesMax: Int) {
        self.bytes = GRPCReceivedBytes(messageBytesMax: messageBytesMax)
    }

    var messageBytesMax: Int {
        get { self.bytes.messageBytesMax }
        set { self.bytes.messageBytesMax = newValue }
    }

    /// Bytes received and not given out.
    var bufferedBytes: Int { self.bytes.bufferedBytes }

    /// The client has ended its side.
    var isWhole: Bool {
        switch self.phase {
        case .held(let isWhole): isWhole
        case .open: false
        case .whole, .handedOver, .over: true
        }
    }

    var isHeld: Bool { if case .held = self.phase { true } else { false } }

    /// Nothing is handed over, whatever comes.
    var isStopped: Bool { self.isPaused || self.isHeld }

    // MARK: What happens

    /// The call may go on. False when it did already, or is over.
    mutating func begin() -> Bool {
        guard case .held(let isWhole) = self.phase else { return false }
        self.phase = isWhole ? .whole : .open
        return true
    }

    /// False when the bytes are thrown away, and to be credited at once.
    mutating func received(_ data: consuming ByteBuffer) -> Bool {
        guard self.phase != .over else { return false }
        self.bytes.append(data)
        return true
    }

    mutating func ended() {
        switch self.phase {
        case .held: self.phase = .held(isWhole: true)
        case .open: self.phase = .whole
        case .whole, .handedOver, .over: break
        }
    }

    mutating func pause() { self.isPaused = true }

    /// False when it was not paused.
    mutating func resume() -> Bool {
        defer { self.isPaused = false }
        return self.isPaused
    }

    /// False when somebody is at it already, or nothing is to be handed over any more.
    mutating func startDelivering() -> Bool {
        guard !self.isDelivering, self.phase != .over else { return false }
        self.isDelivering = true
        return true
    }

    mutating func stopDelivering() { self.isDelivering = false }

    mutating func next() throws(GRPCFramingError) -> Step {
        guard !self.isStopped, self.phase != .over else { return .nothing }
        if let message = try self.bytes.next() { return .message(message) }
        guard self.phase == .whole else { return .nothing }
        guard self.bytes.bufferedBytes == 0 else { return .truncated }
        self.phase = .handedOver
        return .end
    }

    /// The one request has come.
    mutating func keep(_ request: ByteBuffer) { self.request = request }

    var hasRequest: Bool { self.request != nil }

    mutating func takeRequest() -> ByteBuffer? { self.request.take() }

    /// The credit that is due: of everything but what waits for a service that takes nothing.
    mutating func takeCredit() -> Int { self.bytes.takeCredit(isStopped: self.isStopped) }

    /// The call is over: lets go of everything. What is to be credited.
    mutating func close() -> Int {
        self.phase = .over
        self.request = nil
        return self.bytes.discard()
    }
}
