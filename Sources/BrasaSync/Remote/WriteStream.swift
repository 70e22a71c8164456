internal import BrasaDocuments

/// The Write stream: a handshake, then one message for each batch, all with the newest token.
final class WriteStream {
    private let transport: any SyncTransport
    let lifecycle: StreamLifecycle
    private var session: Session?
    private var token: [UInt8] = []
    private(set) var isReady = false

    /// Batches can be sent.
    var ready: () -> Void = {}
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
        self.session?.connection?.send(.writes(writes, streamToken: self.token))
    }

    private func connect() {
        self.isReady = false
        self.token = []
        let session = Session(self)
        self.session = session
        session.connection = self.transport.openWriteStream(session)
    }

    private func disconnect() {
        let session = self.session
        self.session = nil
        if self.isReady { session?.connection?.send(.goodbye(streamToken: self.token)) }
        session?.connection?.close()
        session?.connection = nil
    }

    private func receive(_ message: WriteMessage) {
        self.token = message.streamToken
        if self.isReady {
            self.received(message)
        } else {
            self.isReady = true
            self.ready()
        }
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
            self.connection?.send(.handshake)
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
