internal import BrasaDocuments

/// How long to wait before trying again: at once, then a second, then ever longer, give or take half.
final class Backoff {
    private let scheduler: any SyncScheduler
    private let timer: SyncTimer
    private var base = Duration.zero
    private var lastAttempt: Duration
    private var pending: SyncTimerID?

    private static let first = Duration.seconds(1)
    private static let longest = Duration.seconds(60)
    private static let factor = 1.5

    init(_ scheduler: any SyncScheduler, timer: SyncTimer) {
        self.scheduler = scheduler
        self.timer = timer
        self.lastAttempt = scheduler.uptime
    }

    func reset() {
        self.base = .zero
    }

    func resetToLongest() {
        self.base = Self.longest
    }

    /// Runs the work after the delay, less what has passed since the last time.
    func wait(_ work: @escaping () -> Void) {
        self.cancel()
        let wanted = self.base * (0.5 + self.scheduler.random())
        let passed = max(.zero, self.scheduler.uptime - self.lastAttempt)
        self.base = min(max(self.base * Self.factor, Self.first), Self.longest)
        self.pending = self.scheduler.schedule(self.timer, after: max(.zero, wanted - passed)) { [weak self] in
            guard let self else { return }
            self.pending = nil
            self.lastAttempt = self.scheduler.uptime
            work()
        }
    }

    func cancel() {
        if let pending = self.pending { self.scheduler.cancel(pending) }
        self.pending = nil
    }
}
