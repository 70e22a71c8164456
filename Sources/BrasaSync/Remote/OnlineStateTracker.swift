internal import BrasaDocuments

/// Whether the server can be reached, as far as listeners care.
enum OnlineState: Hashable, Sendable {
    /// For listeners as good as online.
    case unknown
    case online
    case offline
}

/// Works out the online state from the fate of the watch stream. One failure, or ten seconds without an answer, is being
/// offline; the stream keeps trying.
final class OnlineStateTracker {
    private let scheduler: any SyncScheduler
    private let changed: (OnlineState) -> Void
    private var state = OnlineState.unknown
    private var failures = 0
    private var timer: SyncTimerID?

    private static let failuresMax = 1
    private static let patience = Duration.seconds(10)

    init(
        _ scheduler: any SyncScheduler,
        changed: @escaping (OnlineState) -> Void
    ) {
        self.scheduler = scheduler
        self.changed = changed
    }

    func streamStarted() {
        guard self.failures == 0 else { return }
        self.broadcast(.unknown)
        self.stopTimer()
        self.awaitAnswer()
    }

    /// Somebody waits for the server while there is no stream.
    func awaitAnswer() {
        guard self.timer == nil, self.state != .online else { return }
        self.timer = self.scheduler.schedule(.onlineState, after: Self.patience) { [weak self] in
            self?.timer = nil
            self?.broadcast(.offline)
        }
    }

    func streamFailed() {
        if self.state == .online {
            self.broadcast(.unknown)
            return
        }
        self.failures += 1
        guard self.failures >= Self.failuresMax else { return }
        self.stopTimer()
        self.broadcast(.offline)
    }

    func set(_ state: OnlineState) {
        self.stopTimer()
        self.failures = 0
        self.broadcast(state)
    }

    private func broadcast(_ state: OnlineState) {
        guard state != self.state else { return }
        self.state = state
        self.changed(state)
    }

    private func stopTimer() {
        if let timer = self.timer { self.scheduler.cancel(timer) }
        self.timer = nil
    }
}
