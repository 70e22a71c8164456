import BrasaDocuments
import BrasaSync

/// An executor and a clock that stand still until they are told to go on.
final class FakeScheduler: SyncScheduler {
    struct Timer {
        let id: SyncTimerID
        let timer: SyncTimer
        let due: Duration
        let work: () -> Void
    }

    private(set) var uptime = Duration.seconds(1000)
    var now: Timestamp { Timestamp(microseconds: 1_000_000 * self.uptime.components.seconds) }
    private var queue: [() -> Void] = []
    private var lastID: UInt64 = 0
    private(set) var timers: [Timer] = []
    var dice = 0.5

    func random() -> Double { self.dice }

    func enqueue(_ work: @escaping () -> Void) {
        self.queue.append(work)
    }

    func schedule(_ timer: SyncTimer, after delay: Duration, _ work: @escaping () -> Void) -> SyncTimerID {
        self.lastID += 1
        let id = SyncTimerID(number: self.lastID)
        self.timers.append(Timer(id: id, timer: timer, due: self.uptime + delay, work: work))
        return id
    }

    func cancel(_ id: SyncTimerID) {
        self.timers.removeAll { $0.id == id }
    }

    /// Runs everything that is enqueued, and what that enqueues.
    func drain() {
        while !self.queue.isEmpty { self.queue.removeFirst()() }
    }

    /// Moves the clock to the first pending timer of this kind and fires it; false when there is none.
    @discardableResult
    func fire(_ timer: SyncTimer) -> Bool {
        guard let next = self.timers.filter({ $0.timer == timer }).min(by: { $0.due < $1.due }) else { return false }
        self.fire(next)
        return true
    }

    /// Fires pending timers in the order of their times, up to the first one of this kind; nil: all that are pending now.
    func fire(through timer: SyncTimer?) {
        for next in self.timers.sorted(by: { $0.due < $1.due })
        where self.timers.contains(where: { $0.id == next.id }) {
            self.fire(next)
            self.drain()
            if next.timer == timer { return }
        }
    }

    /// Lets time pass, with all that comes due.
    func advance(by time: Duration) {
        let end = self.uptime + time
        while let next = self.timers.filter({ $0.due <= end }).min(by: { $0.due < $1.due }) {
            self.fire(next)
            self.drain()
        }
        self.uptime = end
    }

    private func fire(_ timer: Timer) {
        self.cancel(timer.id)
        self.uptime = max(self.uptime, timer.due)
        timer.work()
    }
}
