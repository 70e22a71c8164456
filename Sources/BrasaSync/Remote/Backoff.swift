internal import BrasaDocuments

/// Tries again after the delays of a backoff, on the executor.
final class Backoff {
    private let scheduler: any SyncScheduler
    private let timer: SyncTimer
    private var delays = BackoffDelays()
    private var lastAttempt: Duration
    private var pending: SyncTimerID?

    init(_ scheduler: any SyncScheduler, timer: SyncTimer) {
        self.scheduler = scheduler
        self.timer = timer
        self.lastAttempt = scheduler.uptime
    }

    func reset() {
        self.delays.reset()
    }

    func resetToLongest() {
        self.delays.resetToLongest()
    }

    /// Runs the work after the delay, less what has passed since the last time.
    func wait(_ work: @escaping () -> Void) {
        self.cancel()
        let passed = max(.zero, self.scheduler.uptime - self.lastAttempt)
        let delay = self.delays.next(spent: passed, chance: self.scheduler.random())
        self.pending = self.scheduler.schedule(self.timer, after: delay) { [weak self] in
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
