internal import BrasaBackoff
internal import BrasaDocuments

/// Tries again after the delays of a backoff, on the executor.
final class Backoff {
    private struct Attempt {
        let timer: SyncTimerID
        let due: Duration
        let work: () -> Void
    }

    private let scheduler: any SyncScheduler
    private let timer: SyncTimer
    private var delays = BackoffDelays()
    private var lastAttempt: Duration
    private var pending: Attempt?
    /// The server wants the longest delay.
    private var isOverloaded = false

    /// Who is in a hurry leaves as much between two attempts.
    private static let hurry = Duration.seconds(1)

    init(_ scheduler: any SyncScheduler, timer: SyncTimer) {
        self.scheduler = scheduler
        self.timer = timer
        self.lastAttempt = scheduler.uptime
    }

    func reset() {
        self.delays.reset()
        self.isOverloaded = false
    }

    func shorten() {
        self.delays.shorten()
    }

    func resetToLongest() {
        self.delays.resetToLongest()
        self.isOverloaded = true
    }

    /// Runs the work after the delay, less what has passed since the last time.
    func wait(_ work: @escaping () -> Void) {
        let passed = max(.zero, self.scheduler.uptime - self.lastAttempt)
        self.schedule(after: self.delays.next(spent: passed, chance: self.scheduler.random()), work)
    }

    /// Brings what waits forward.
    func hasten() {
        guard let pending = self.pending, !self.isOverloaded else { return }
        let now = self.scheduler.uptime
        let due = max(now, self.lastAttempt + Self.hurry)
        if due < pending.due { self.schedule(after: due - now, pending.work) }
    }

    private func schedule(after delay: Duration, _ work: @escaping () -> Void) {
        self.cancel()
        let timer = self.scheduler.schedule(self.timer, after: delay) { [weak self] in
            guard let self else { return }
            self.pending = nil
            self.isOverloaded = false
            self.lastAttempt = self.scheduler.uptime
            work()
        }
        self.pending = Attempt(timer: timer, due: self.scheduler.uptime + delay, work: work)
    }

    func cancel() {
        if let pending = self.pending { self.scheduler.cancel(pending.timer) }
        self.pending = nil
    }
}
