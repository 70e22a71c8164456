import BrasaStore
import BrasaTransactions
import Foundation
import Logging
import NIOConcurrencyHelpers

/// What the engine does besides answering: time limits of transactions, pruning of history, checkpoints, looking for room on
/// a full disk, indexes. Each has its own thread, so that a long checkpoint holds up nothing else.
final class BackgroundWork: Sendable {
    /// Time limits are kept to within this.
    private static let tickInterval: Duration = .milliseconds(50)
    private static let checkpointInterval: Duration = .seconds(1)
    private static let fullDiskInterval: Duration = .seconds(1)

    private let ticking: PeriodicThread
    private let checkpointing: PeriodicThread
    private let lookingForRoom: PeriodicThread
    private let indexing: IndexingThread

    /// - Parameter indexRequests: what the store wakes when an index is asked for.
    init(store: Store, transactions: TransactionManager, indexRequests: IndexingThread.Signal, logger: Logger) {
        self.indexing = IndexingThread(signal: indexRequests) { store.indexStep() }
        self.ticking = PeriodicThread(name: "brasa-tick", interval: Self.tickInterval) {
            transactions.tick()
            // Whatever is left over is pruned at the next tick: commits are made faster than it by nobody for long.
            for _ in 0..<64 where !store.maintain() { break }
        }
        self.lookingForRoom = PeriodicThread(name: "brasa-room", interval: Self.fullDiskInterval) {
            store.retryFullDisk()
        }
        let reported = NIOLockedValueBox<String?>(nil)
        self.checkpointing = PeriodicThread(name: "brasa-checkpoint", interval: Self.checkpointInterval) {
            do throws(StoreError) {
                guard try store.checkpointIfNeeded() else { return }
                // Files have gone.
                store.retryFullDisk()
                reported.withLockedValue { $0 = nil }
                logger.info("checkpoint written")
            } catch {
                // It is tried again, which is no reason to say so again.
                let isNews = reported.withLockedValue { text in
                    defer { text = error.description }
                    return text != error.description
                }
                guard isNews else { return }
                logger.error("a checkpoint failed; the log grows until one succeeds", metadata: ["error": "\(error)"])
            }
        }
    }

    func start() {
        self.ticking.start()
        self.checkpointing.start()
        self.lookingForRoom.start()
        self.indexing.start()
    }

    func stop() {
        self.ticking.stop()
        self.checkpointing.stop()
        self.lookingForRoom.stop()
        self.indexing.stop()
    }
}

/// A thread that calls its work again and again, with a pause between calls.
final class PeriodicThread: Sendable {
    private let name: String
    private let interval: Duration
    private let work: @Sendable () -> Void
    private let state = ConditionLock(value: State.idle)

    private enum State {
        case idle, running, stopping, stopped
    }

    init(name: String, interval: Duration, work: @escaping @Sendable () -> Void) {
        self.name = name
        self.interval = interval
        self.work = work
    }

    func start() {
        self.state.lock(whenValue: .idle)
        self.state.unlock(withValue: .running)
        let thread = Thread { self.loop() }
        thread.name = self.name
        thread.start()
    }

    private func loop() {
        while !self.state.lock(whenValue: .stopping, timeoutSeconds: self.interval / .seconds(1)) {
            self.work()
        }
        self.state.unlock(withValue: .stopped)
    }

    /// Returns when the call in progress, if any, has returned.
    func stop() {
        self.state.lock(whenValue: .running)
        self.state.unlock(withValue: .stopping)
        self.state.lock(whenValue: .stopped)
        self.state.unlock()
    }
}
