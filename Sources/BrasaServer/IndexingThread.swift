import BrasaStore
import Dispatch
import Foundation
import Synchronization

/// The thread that builds and drops indexes: it works while there is anything to do, sleeps until an index is asked for,
/// and looks now and then for those that nobody uses any more.
final class IndexingThread: Sendable {
    /// Wakes the thread. Made before the store, which is given `wake`, and so before the thread.
    final class Signal: Sendable {
        private let semaphore = DispatchSemaphore(value: 0)

        func wake() {
            self.semaphore.signal()
        }

        /// Returns when woken, perhaps for several reasons one after the other, or after `seconds`.
        fileprivate func wait(seconds: Double) {
            _ = self.semaphore.wait(timeout: .now() + seconds)
        }
    }

    private let signal: Signal
    private let interval: Duration
    private let step: @Sendable () -> Bool
    private let isStopping = Atomic<Bool>(false)
    private let ended = DispatchSemaphore(value: 0)

    /// - Parameter step: one bounded step; returns whether there is more to do.
    init(signal: Signal, interval: Duration = .seconds(1), step: @escaping @Sendable () -> Bool) {
        self.signal = signal
        self.interval = interval
        self.step = step
    }

    func start() {
        let thread = Thread { self.loop() }
        thread.name = "brasa-index"
        thread.start()
    }

    private func loop() {
        while !self.isStopping.load(ordering: .acquiring) {
            if self.step() { continue }
            self.signal.wait(seconds: self.interval / .seconds(1))
        }
        self.ended.signal()
    }

    /// Returns when the step in progress, if any, has returned. To be called once, after `start`.
    func stop() {
        self.isStopping.store(true, ordering: .releasing)
        self.signal.wake()
        self.ended.wait()
    }
}
