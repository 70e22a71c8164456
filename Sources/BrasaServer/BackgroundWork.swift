import BrasaPlatform
import BrasaStore
import BrasaTransactions
import Logging
import Synchronization

/// What the engine does besides answering: time limits of transactions, pruning of history, checkpoints, looking for room on
/// a full disk, indexes. Each has its own thread, so that a long checkpoint holds up nothing else.
final class BackgroundWork: Sendable {
    /// Time limits are kept to within this.
    private static let tickInterval: Duration = .milliseconds(50)
    private static let checkpointInterval: Duration = .seconds(1)
    private static let fullDiskInterval: Duration = .seconds(1)
    private static let indexingInterval: Duration = .seconds(1)

    private let store: Store
    private let transactions: TransactionManager
    private let logger: Logger
    private let ticking = Worker(name: "brasa-tick", interval: BackgroundWork.tickInterval, ending: .leaving)
    private let checkpointing = Worker(
        name: "brasa-checkpoint",
        interval: BackgroundWork.checkpointInterval,
        ending: .leaving
    )
    private let lookingForRoom = Worker(
        name: "brasa-room",
        interval: BackgroundWork.fullDiskInterval,
        ending: .leaving
    )
    private let indexing: Worker
    private let toldMemoryFull = Atomic<Bool>(false)
    /// The failure of checkpoints that was said last.
    private let reported = Mutex<String?>(nil)

    /// - Parameter indexing: what the store wakes when an index is asked for: made before it, by `indexingWorker`.
    init(store: Store, transactions: TransactionManager, indexing: Worker, logger: Logger) {
        self.store = store
        self.transactions = transactions
        self.indexing = indexing
        self.logger = logger
    }

    /// Builds and drops indexes: it works while there is anything to do, sleeps until an index is asked for, and looks now
    /// and then for those that nobody uses any more.
    static func indexingWorker() -> Worker {
        Worker(name: "brasa-index", interval: Self.indexingInterval, ending: .leaving)
    }

    func start() {
        let (store, transactions) = (self.store, self.transactions)
        self.ticking.start {
            transactions.tick()
            // Whatever is left over is pruned at the next tick: commits are made faster than it by nobody for long.
            for _ in 0..<64 where !store.maintain() { break }
            self.reportMemory()
            return false
        }
        self.checkpointing.start {
            self.writeCheckpointIfNeeded()
            return false
        }
        self.lookingForRoom.start {
            store.retryFullDisk()
            return false
        }
        self.indexing.start { store.indexStep() }
    }

    func stop() {
        self.ticking.stop()
        self.checkpointing.stop()
        self.lookingForRoom.stop()
        self.indexing.stop()
    }

    private func reportMemory() {
        let isFull = self.store.isMemoryFull
        guard self.toldMemoryFull.exchange(isFull, ordering: .relaxed) != isFull else { return }
        if isFull {
            self.logger.error("memory is at the bound that --max-memory sets: writes but deletes are refused")
        } else {
            self.logger.notice("memory is below the bound that --max-memory sets again: writes are accepted")
        }
    }

    private func writeCheckpointIfNeeded() {
        do throws(StoreError) {
            guard try self.store.checkpointIfNeeded() else { return }
            // Files have gone.
            self.store.retryFullDisk()
            self.reported.withLock { $0 = nil }
            self.logger.info("checkpoint written")
        } catch {
            // It is tried again, which is no reason to say so again.
            let isNews = self.reported.withLock { text in
                defer { text = error.description }
                return text != error.description
            }
            guard isNews else { return }
            self.logger.error("a checkpoint failed; the log grows until one succeeds", metadata: ["error": "\(error)"])
        }
    }
}
