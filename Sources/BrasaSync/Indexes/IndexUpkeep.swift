/// Brings indexes up to date, now and then. While there is more to do the next few documents follow soon, with a pause for
/// everybody else; without indexes nothing is done, once everything is freed that those before have left.
final class IndexUpkeep {
    private let local: LocalStore
    private let scheduler: any SyncScheduler
    private var timer: SyncTimerID?

    private static let firstDelay = Duration.seconds(15)
    private static let delay = Duration.seconds(60)
    private static let pause = Duration.milliseconds(10)

    init(_ local: LocalStore, _ scheduler: any SyncScheduler) {
        self.local = local
        self.scheduler = scheduler
    }

    func start() {
        self.local.indexesChanged = { [weak self] in self?.schedule(after: Self.pause) }
        // Also without indexes: those that were removed last may have left something.
        if (try? self.local.knowsIndexes()) == true { self.schedule(after: Self.firstDelay) }
    }

    func stop() {
        self.local.indexesChanged = {}
        if let timer = self.timer { self.scheduler.cancel(timer) }
        self.timer = nil
    }

    private func schedule(after delay: Duration) {
        if let timer = self.timer { self.scheduler.cancel(timer) }
        self.timer = self.scheduler.schedule(.indexBackfill, after: delay) { [weak self] in
            guard let self else { return }
            self.timer = nil
            switch try? self.local.backfillIndexes() {
            case .noIndexes: break
            case .more: self.schedule(after: Self.pause)
            // What fails is made up for by the next.
            case .upToDate, nil: self.schedule(after: Self.delay)
            }
        }
    }
}
