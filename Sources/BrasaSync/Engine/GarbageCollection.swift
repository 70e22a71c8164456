/// Collects what the cache has not used for long, a bite at a time: now and then, and soon when the cache is larger than it
/// should be, so that a busy client's cache stays bounded.
final class GarbageCollection {
    private let local: LocalStore
    private let scheduler: any SyncScheduler
    private let limits: CollectionLimits
    private var timer: SyncTimerID?
    private var due = Duration.zero
    /// How long to wait after a bite that found nothing it may take; nil after any other.
    private var stalledDelay: Duration?

    private static let firstDelay = Duration.seconds(60)
    private static let delay = Duration.seconds(300)
    /// Between two bites others have their turn.
    private static let soonDelay = Duration.milliseconds(100)
    private static let stalledDelayLeast = Duration.seconds(1)

    init(_ local: LocalStore, _ scheduler: any SyncScheduler, _ limits: CollectionLimits) {
        self.local = local
        self.scheduler = scheduler
        self.limits = limits
    }

    func start() {
        self.schedule(after: Self.firstDelay)
        self.local.storage.sizeWatch = SizeWatch(bytesMax: self.limits.bytesMax) { [weak self] in
            self?.bringForward()
        }
    }

    func stop() {
        self.local.storage.sizeWatch = nil
        if let timer = self.timer { self.scheduler.cancel(timer) }
        self.timer = nil
    }

    /// Not while all that is there is in use: it will be for a while.
    private func bringForward() {
        guard self.stalledDelay == nil, self.due - self.scheduler.uptime > Self.soonDelay else { return }
        self.schedule(after: Self.soonDelay)
    }

    private func schedule(after delay: Duration) {
        if let timer = self.timer { self.scheduler.cancel(timer) }
        self.due = self.scheduler.uptime + delay
        self.timer = self.scheduler.schedule(.garbageCollection, after: delay) { [weak self] in
            guard let self else { return }
            self.timer = nil
            self.schedule(after: self.run())
        }
    }

    /// Gives the time until the next run.
    private func run() -> Duration {
        // A run that fails is made up for by the next.
        guard var outcome = try? self.local.collectGarbage(self.limits) else { return Self.delay }
        while outcome.isUrgent, outcome.removed > 0, let next = try? self.local.collectGarbage(self.limits) {
            outcome = next
        }
        guard outcome.isUnfinished, outcome.removed == 0 else {
            self.stalledDelay = nil
            return outcome.isUnfinished ? Self.soonDelay : Self.delay
        }
        let delay = min(self.stalledDelay.map { $0 * 2 } ?? Self.stalledDelayLeast, Self.delay)
        self.stalledDelay = delay
        return delay
    }
}
