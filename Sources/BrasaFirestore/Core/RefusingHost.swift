internal import BrasaApp
internal import BrasaDocuments
internal import BrasaSync
internal import Dispatch

extension ClientCore {
    /// Answers every call with an error: what has happened in the world, or that the client has ended.
    convenience init(refusing error: SyncError, queue: DispatchQueue, database: DatabaseName) {
        self.init(
            queue: queue,
            host: RefusingHost(error, database),
            calls: nil,
            gate: CallGate(ended: error)
        )
    }
}

/// The place of an engine that is at its end from the start.
private final class RefusingHost: EngineHost {
    private let queue = DispatchQueue(label: "BrasaFirestore.refusal")
    /// Used on the queue only.
    private let client: Handed<SyncClient>

    init(_ error: SyncError, _ database: DatabaseName) {
        let client = SyncClient(
            database: database,
            configuration: SyncConfiguration(),
            storage: .failure(error),
            scheduler: IdleScheduler(self.queue),
            transport: NoTransport()
        )
        self.client = Handed(client)
    }

    func run(_ work: @escaping @Sendable (SyncClient) -> Void) {
        self.queue.async { work(self.client.value) }
    }

    func close() async {}
}

/// An engine at its end asks for no timer.
private final class IdleScheduler: SyncScheduler {
    private let queue: DispatchQueue

    init(_ queue: DispatchQueue) {
        self.queue = queue
    }

    var now: BrasaDocuments.Timestamp { .earliest }
    var uptime: Duration { .zero }
    func random() -> Double { 0 }

    func enqueue(_ work: @escaping () -> Void) {
        let work = Handed(work)
        self.queue.async { work.value() }
    }

    func schedule(_ timer: SyncTimer, after delay: Duration, _ work: @escaping () -> Void) -> SyncTimerID {
        SyncTimerID(number: 0)
    }

    func cancel(_ id: SyncTimerID) {}
}

/// Nor for the network.
final class NoTransport: SyncTransport, WatchConnection, WriteConnection, ReadConnection {
    func openWatchStream(_ delegate: any WatchStreamDelegate) -> any WatchConnection { NoTransport() }
    func openWriteStream(_ delegate: any WriteStreamDelegate) -> any WriteConnection { NoTransport() }
    func read(
        _ target: SyncTarget,
        within time: Duration,
        completion: @escaping (Result<ServerAnswer, SyncError>) -> Void
    ) -> any ReadConnection { NoTransport() }
    func invalidateCredentials() {}
    func send(_ request: WatchRequest) {}
    func send(_ request: WriteRequest) {}
    func close() {}
}
