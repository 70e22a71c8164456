/// Collects what the cache has not used for long, now and then.
final class GarbageCollection {
    private let local: LocalStore
    private let scheduler: any SyncScheduler
    private let limits: CollectionLimits
    private var timer: SyncTimerID?

    private static let firstDelay = Duration.seconds(60)
    private static let delay = Duration.seconds(300)

    init(_ local: LocalStore, _ scheduler: any SyncScheduler, _ limits: CollectionLimits) {
        self.local = local
        self.scheduler = scheduler
        self.limits = limits
    }

    func start() {
        self.schedule(after: Self.firstDelay)
    }

    func stop() {
        if let timer = self.timer { self.scheduler.cancel(timer) }
        self.timer = nil
    }

    private func schedule(after delay: Duration) {
        self.timer = self.scheduler.schedule(.garbageCollection, after: delay) { [weak self] in
            guard let self else { return }
            // A run that fails is made up for by the next.
            try? self.local.collectGarbage(self.limits)
            self.schedule(after: Self.delay)
        }
    }
}
