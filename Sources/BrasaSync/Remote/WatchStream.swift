internal import BrasaDocuments
internal import BrasaStatus

/// The Listen stream. What an old connection says is dropped.
final class WatchStream {
    private let transport: any SyncTransport
    let lifecycle: StreamLifecycle
    private var session: Session?

    var opened: () -> Void = {}
    var received: (WatchMessage) -> Void = { _ in }

    init(_ transport: any SyncTransport, _ scheduler: any SyncScheduler) {
        self.transport = transport
        self.lifecycle = StreamLifecycle(
            scheduler,
            timers: .init(idle: .watchStreamIdle, backoff: .watchStreamBackoff, health: .watchStreamHealth)
        )
        self.lifecycle.invalidateCredentials = transport.invalidateCredentials
        self.lifecycle.connect = { [weak self] in self?.connect() }
        self.lifecycle.disconnect = { [weak self] in self?.disconnect() }
    }

    func send(_ request: WatchRequest) {
        self.lifecycle.noteRequest()
        self.session?.connection?.send(request)
    }

    private func connect() {
        let session = Session(self)
        self.session = session
        session.connection = self.transport.openWatchStream(session)
    }

    private func disconnect() {
        let session = self.session
        self.session = nil
        session?.connection?.close()
        session?.connection = nil
    }

    /// One connection.
    private final class Session: WatchStreamDelegate {
        private weak var stream: WatchStream?
        var connection: (any WatchConnection)?

        init(_ stream: WatchStream) {
            self.stream = stream
        }

        private var current: WatchStream? { self.stream?.session === self ? self.stream : nil }

        func watchStreamOpened() {
            guard let stream = self.current else { return }
            stream.lifecycle.opened()
            stream.opened()
        }

        func watchStreamReceived(_ message: WatchMessage) {
            guard let stream = self.current else { return }
            stream.received(message)
        }

        func watchStreamClosed(_ error: SyncError?) {
            guard let stream = self.current else { return }
            self.connection = nil
            stream.session = nil
            stream.lifecycle.failed(error ?? SyncError(.unavailable, "The server ended the stream."))
        }
    }
}
