/// What the storage could not do, tried again strictly in order until it can.
final class StorageRetries {
    private let scheduler: any SyncScheduler
    private let backoff: Backoff
    private var isRunning = false
    private var operations: [() throws(StorageError) -> Void] = []

    init(_ scheduler: any SyncScheduler) {
        self.scheduler = scheduler
        self.backoff = Backoff(scheduler, timer: .storageRetry)
    }

    func add(_ operation: @escaping () throws(StorageError) -> Void) {
        self.operations.append(operation)
        // What the running operation has found not to work is not tried again at once.
        guard !self.isRunning else { return }
        self.scheduler.enqueue { [weak self] in self?.run() }
    }

    func stop() {
        self.operations = []
        self.backoff.cancel()
    }

    private func run() {
        guard let operation = self.operations.first else { return }
        let count = self.operations.count
        do throws(StorageError) {
            self.isRunning = true
            defer { self.isRunning = false }
            try operation()
        } catch {
            self.backoff.wait { [weak self] in self?.run() }
            return
        }
        // It may have stopped us.
        guard !self.operations.isEmpty else { return }
        if self.operations.count == count { self.backoff.reset() }
        self.operations.removeFirst()
        if !self.operations.isEmpty { self.backoff.wait { [weak self] in self?.run() } }
    }
}
