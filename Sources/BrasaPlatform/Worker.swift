import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A thread that runs one body again and again, and sleeps while there is nothing to do: until it is woken or, with an
/// interval, until that has passed since the body had nothing to do.
///
/// `wake` is cheap when the thread is awake (one atomic exchange), and never lost: a wake-up that comes while the body
/// runs, or before the thread starts, makes it run once more.
package final class Worker: Sendable {
    /// What becomes of work that is left when the worker is stopped.
    package enum Ending: Sendable {
        /// The body runs until it wants no more, once at least.
        case finishing
        /// The body is not run again.
        case leaving
    }

    private enum Phase {
        static let working: UInt32 = 0
        static let wanted: UInt32 = 1
        static let sleeping: UInt32 = 2
    }

    private let phase = Atomic<UInt32>(Phase.working)
    private let stopping = Atomic<Bool>(false)
    private let bell = Bell()
    private let thread = Mutex<pthread_t?>(nil)
    private let name: String
    private let interval: Duration?
    private let ending: Ending

    /// - Parameter interval: how long the body is at most not run; nil: until somebody wakes it.
    package init(name: String, interval: Duration? = nil, ending: Ending = .finishing) {
        self.name = name
        self.interval = interval
        self.ending = ending
    }

    /// Starts the thread. `body` does one piece of work and says whether it wants to be run again at once.
    package func start(_ body: @escaping @Sendable () -> Bool) {
        self.thread.withLock { thread in
            precondition(thread == nil, "a worker starts once")
            thread = Thread.start(name: self.name) { self.run(body) }
        }
    }

    private func run(_ body: () -> Bool) {
        while true {
            let isStopping = self.stopping.load(ordering: .acquiring)
            if isStopping && self.ending == .leaving { return }
            if body() { continue }
            if isStopping { return }
            let (slept, _) = self.phase.compareExchange(
                expected: Phase.working,
                desired: Phase.sleeping,
                ordering: .acquiringAndReleasing
            )
            if slept {
                self.bell.wait(atMost: self.interval) { self.phase.load(ordering: .acquiring) == Phase.sleeping }
            }
            // An exchange, not a store: it reads what `wake` wrote, so the body sees all that was queued before.
            _ = self.phase.exchange(Phase.working, ordering: .acquiringAndReleasing)
        }
    }

    package func wake() {
        let before = self.phase.exchange(Phase.wanted, ordering: .acquiringAndReleasing)
        if before == Phase.sleeping { self.bell.ring() }
    }

    /// Ends the thread, in the way that `ending` says, and waits for it. Harmless when the worker never started.
    package func stop() {
        self.stopping.store(true, ordering: .releasing)
        self.wake()
        let thread = self.thread.withLock { thread in
            let running = thread
            thread = nil
            return running
        }
        if let thread { pthread_join(thread, nil) }
    }
}
