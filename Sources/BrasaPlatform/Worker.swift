import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A thread that runs one body again and again, and sleeps while there is nothing to do.
///
/// `wake` is cheap when the thread is awake (one atomic exchange), and never lost: a wake-up that comes while the body
/// runs makes it run once more.
package final class Worker: Sendable {
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

    package init(name: String) {
        self.name = name
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
            if body() { continue }
            if isStopping { return }
            let (slept, _) = self.phase.compareExchange(
                expected: Phase.working,
                desired: Phase.sleeping,
                ordering: .acquiringAndReleasing
            )
            if slept { self.bell.wait { self.phase.load(ordering: .acquiring) == Phase.sleeping } }
            // An exchange, not a store: it reads what `wake` wrote, so the body sees all that was queued before.
            _ = self.phase.exchange(Phase.working, ordering: .acquiringAndReleasing)
        }
    }

    package func wake() {
        let before = self.phase.exchange(Phase.wanted, ordering: .acquiringAndReleasing)
        if before == Phase.sleeping { self.bell.ring() }
    }

    /// Lets the body finish everything it has (until it wants no more), then ends the thread and waits for it. Harmless
    /// when the worker never started.
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

/// A condition variable with its lock.
///
/// `@unchecked Sendable`: the two C objects live at fixed addresses from `init` to `deinit`, and the functions that use
/// them are made for several threads.
private final class Bell: @unchecked Sendable {
    private let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

    init() {
        pthread_mutex_init(self.lock, nil)
        pthread_cond_init(self.condition, nil)
    }

    deinit {
        pthread_cond_destroy(self.condition)
        pthread_mutex_destroy(self.lock)
        self.condition.deallocate()
        self.lock.deallocate()
    }

    func wait(while condition: () -> Bool) {
        pthread_mutex_lock(self.lock)
        while condition() { pthread_cond_wait(self.condition, self.lock) }
        pthread_mutex_unlock(self.lock)
    }

    /// Taking the lock makes sure that the sleeper is either before its check or inside the wait.
    func ring() {
        pthread_mutex_lock(self.lock)
        pthread_cond_signal(self.condition)
        pthread_mutex_unlock(self.lock)
    }
}

private enum Thread {
    private final class Start: Sendable {
        let name: String
        let body: @Sendable () -> Void

        init(name: String, body: @escaping @Sendable () -> Void) {
            self.name = name
            self.body = body
        }
    }

    /// Traps when the system refuses a thread: that happens at start-up, where nothing can be done without it.
    static func start(name: String, _ body: @escaping @Sendable () -> Void) -> pthread_t {
        let start = Unmanaged.passRetained(Start(name: name, body: body)).toOpaque()
        #if canImport(Glibc)
            var thread = pthread_t()
            let result = pthread_create(
                &thread,
                nil,
                { argument in
                    if let argument { Thread.run(argument) }
                    return nil
                },
                start
            )
            precondition(result == 0, "the system refused a thread")
            return thread
        #else
            var thread: pthread_t?
            let result = pthread_create(
                &thread,
                nil,
                { argument in
                    Thread.run(argument)
                    return nil
                },
                start
            )
            guard result == 0, let thread else { preconditionFailure("the system refused a thread") }
            return thread
        #endif
    }

    private static func run(_ argument: UnsafeMutableRawPointer) {
        let start = Unmanaged<Start>.fromOpaque(argument).takeRetainedValue()
        #if canImport(Glibc)
            // Names are for whoever looks at the process from outside; the kernel takes 15 bytes.
            if let file = try? RealDisk().open("/proc/thread-self/comm", .readWrite) {
                var text = String(start.name.prefix(15))
                text.withUTF8 { try? file.write(UnsafeRawBufferPointer($0), at: 0) }
            }
        #else
            pthread_setname_np(start.name)
        #endif
        start.body()
    }
}
