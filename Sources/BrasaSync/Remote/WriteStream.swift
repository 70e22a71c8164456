internal import BrasaDocuments
internal import BrasaStatus

/// The Write stream: a handshake, then one message for each batch. A server that lets a stream go on over another
/// connection is asked for that: its answers to what was sent over the last one come before that to the handshake.
final class WriteStream {
    private let transport: any SyncTransport
    let lifecycle: StreamLifecycle
    private var session: Session?
    /// The newest of this connection.
    private var token: [UInt8] = []
    /// What the storage has; nil before it was asked.
    private var stored: WriteStreamPosition??
    /// The newest token that would outlive the loss of power. The server forgets what came before the token that it is sent.
    private var safeToken: [UInt8] = []
    /// Answers that were taken and that the loss of power would take back, on whatever connections; of an earlier process
    /// nobody knows.
    private(set) var answersAtRisk = RemoteStore.answersAtRiskMax
    /// The storage may still have a position that is not to be used any more.
    private(set) var isGivenUp = false
    /// The handshake was answered: batches can be sent.
    private(set) var isReady = false
    /// The handshake asked for an earlier stream.
    private(set) var isResuming = false

    /// The handshake is answered.
    var greeted: (WriteMessage) -> Void = { _ in }
    var received: (WriteMessage) -> Void = { _ in }

    init(_ transport: any SyncTransport, _ scheduler: any SyncScheduler) {
        self.transport = transport
        self.lifecycle = StreamLifecycle(
            scheduler,
            timers: .init(idle: .writeStreamIdle, backoff: .writeStreamBackoff, health: .writeStreamHealth)
        )
        self.lifecycle.invalidateCredentials = transport.invalidateCredentials
        self.lifecycle.connect = { [weak self] in self?.connect() }
        self.lifecycle.disconnect = { [weak self] in self?.disconnect() }
    }

    func send(_ writes: [Write]) {
        self.lifecycle.noteRequest()
        self.session?.connection?.send(.writes(writes, streamToken: self.seenToken))
    }

    private func connect() {
        self.isReady = false
        self.isResuming = self.position != nil
        self.token = []
        let session = Session(self)
        self.session = session
        session.connection = self.transport.openWriteStream(session)
    }

    private func disconnect() {
        let session = self.session
        self.session = nil
        if self.isReady { session?.connection?.send(.goodbye(streamToken: self.seenToken)) }
        session?.connection?.close()
        session?.connection = nil
    }

    private func receive(_ message: WriteMessage) {
        self.token = message.streamToken
        if self.isReady || (self.isResuming && message.commitTime != nil) {
            self.received(message)
        } else {
            self.greeted(message)
        }
    }

    // MARK: - The position

    var isPositionKnown: Bool { self.stored != nil }

    /// Of the stream that is to go on, or goes on.
    private(set) var position: WriteStreamPosition? {
        get { self.stored ?? nil }
        set { self.stored = .some(newValue) }
    }

    private var seenToken: [UInt8] { self.position == nil ? self.token : self.safeToken }

    /// The storage's.
    func setPosition(_ position: WriteStreamPosition?) {
        self.position = position
        self.safeToken = []
        self.isGivenUp = false
    }

    /// The storage is asked before the next connection.
    func forgetPosition() {
        self.stored = nil
        self.safeToken = []
        self.isGivenUp = false
    }

    /// What that stream had got to is not to be found out: the next connection begins a new one.
    func giveUpPosition() {
        let isStored = self.position != nil || self.isGivenUp
        self.setPosition(nil)
        self.isGivenUp = isStored
    }

    /// After an answer with this token.
    func position(after token: [UInt8]) -> WriteStreamPosition? {
        self.position.map { WriteStreamPosition(streamID: $0.streamID, token: token) }
    }

    /// An answer was taken and is stored.
    func advance(to position: WriteStreamPosition?) {
        guard let position, self.position?.streamID == position.streamID else { return }
        self.position = position
        self.answersAtRisk += 1
    }

    /// What is stored up to now outlives the loss of power.
    func noteStored() {
        guard let position else { return }
        self.safeToken = position.token
        self.answersAtRisk = 0
    }

    /// The stored position is the new stream's.
    func begin() {
        self.isReady = true
    }

    /// One connection.
    private final class Session: WriteStreamDelegate {
        private weak var stream: WriteStream?
        var connection: (any WriteConnection)?

        init(_ stream: WriteStream) {
            self.stream = stream
        }

        private var current: WriteStream? { self.stream?.session === self ? self.stream : nil }

        func writeStreamOpened() {
            guard let stream = self.current else { return }
            stream.lifecycle.opened()
            stream.lifecycle.noteRequest()
            self.connection?.send(.handshake(resuming: stream.position))
        }

        func writeStreamReceived(_ message: WriteMessage) {
            self.current?.receive(message)
        }

        func writeStreamClosed(_ error: SyncError?) {
            guard let stream = self.current else { return }
            self.connection = nil
            stream.session = nil
            stream.lifecycle.failed(error ?? SyncError(.unavailable, "The server ended the stream."))
        }
    }
}
