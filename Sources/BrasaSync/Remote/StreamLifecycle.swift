internal import BrasaDocuments
internal import BrasaStatus

/// When a stream is opened, closed and opened again: what both streams have in common.
final class StreamLifecycle {
    enum Phase {
        case initial, starting, open, healthy, failed, backingOff
    }

    struct Timers {
        let idle: SyncTimer
        let backoff: SyncTimer
        let health: SyncTimer
    }

    private let scheduler: any SyncScheduler
    private let timers: Timers
    private let backoff: Backoff
    private(set) var phase = Phase.initial
    private var idle: SyncTimerID?
    private var health: SyncTimerID?

    /// Opens a connection.
    var connect: () -> Void = {}
    /// Ends the connection, gracefully when nothing went wrong before.
    var disconnect: () -> Void = {}
    /// Nil when it was us who ended it.
    var ended: (SyncError?) -> Void = { _ in }
    var invalidateCredentials: () -> Void = {}

    private static let idleTime = Duration.seconds(60)
    private static let healthyTime = Duration.seconds(10)

    init(_ scheduler: any SyncScheduler, timers: Timers) {
        self.scheduler = scheduler
        self.timers = timers
        self.backoff = Backoff(scheduler, timer: timers.backoff)
    }

    var isOpen: Bool { self.phase == .open || self.phase == .healthy }
    var isStarted: Bool { self.isOpen || self.phase == .starting || self.phase == .backingOff }

    /// At once, or after a delay when the last connection failed.
    func start() {
        guard !self.isStarted else { return }
        guard self.phase != .failed else {
            self.phase = .backingOff
            self.backoff.wait { [weak self] in
                self?.phase = .initial
                self?.start()
            }
            return
        }
        self.phase = .starting
        self.connect()
    }

    func stop() {
        guard self.isStarted else { return }
        self.close(.initial, nil)
    }

    /// The last failure shall not delay the next start.
    func inhibitBackoff() {
        guard !self.isStarted else { return }
        self.phase = .initial
        self.backoff.reset()
    }

    /// Somebody waits for the next attempt.
    func hasten() {
        if self.phase == .backingOff { self.backoff.hasten() }
    }

    /// Closes the stream if nothing is sent for a while.
    func markIdle() {
        guard self.isOpen, self.idle == nil else { return }
        self.idle = self.scheduler.schedule(self.timers.idle, after: Self.idleTime) { [weak self] in
            guard let self, self.isOpen else { return }
            self.close(.initial, nil)
        }
    }

    func noteRequest() {
        if let idle = self.idle { self.scheduler.cancel(idle) }
        self.idle = nil
    }

    /// The server said something of which use was made. What breaks the stream may follow all the same, again and again.
    func noteProgress() {
        self.backoff.shorten()
    }

    func opened() {
        self.phase = .open
        self.health = self.scheduler.schedule(self.timers.health, after: Self.healthyTime) { [weak self] in
            guard let self, self.isOpen else { return }
            self.phase = .healthy
            self.backoff.reset()
        }
    }

    func failed(_ error: SyncError) {
        self.close(.failed, error)
    }

    private func close(_ phase: Phase, _ error: SyncError?) {
        self.noteRequest()
        if let health = self.health { self.scheduler.cancel(health) }
        self.health = nil
        self.backoff.cancel()
        if error == nil {
            self.backoff.reset()
        } else if error?.code == .resourceExhausted {
            self.backoff.resetToLongest()
        } else if error?.code == .unauthenticated, self.phase != .healthy {
            self.invalidateCredentials()
        }
        self.disconnect()
        self.phase = phase
        self.ended(error)
    }
}
