/// What the storage could not do, tried again strictly in order until it can.
final class StorageRetries {
    private let scheduler: any SyncScheduler
    private let backoff: Backoff
    private var operations: [() throws(StorageError) -> Void] = []

    init(_ scheduler: any SyncScheduler) {
        self.scheduler = scheduler
        self.backoff = Backoff(scheduler, timer: .storageRetry)
    }

    func add(_ operation: @escaping () throws(StorageError) -> Void) {
        self.operations.append(operation)
        self.scheduler.enqueue { [weak self] in self?.run() }
    }

    func stop() {
        self.operations = []
        self.backoff.cancel()
    }

    private func run() {
        guard let operation = self.operations.first else { return }
        do throws(StorageError) {
            try operation()
        } catch {
            self.backoff.wait { [weak self] in self?.run() }
            return
        }
        // It may have stopped us.
        if !self.operations.isEmpty { self.operations.removeFirst() }
        self.backoff.reset()
        if !self.operations.isEmpty { self.backoff.wait { [weak self] in self?.run() } }
    }
}
