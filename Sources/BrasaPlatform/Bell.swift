#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A condition variable with its lock.
///
/// `@unchecked Sendable`: the two C objects live at fixed addresses from `init` to `deinit`, and the functions that use
/// them are made for several threads.
package final class Bell: @unchecked Sendable {
    private let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

    package init() {
        pthread_mutex_init(self.lock, nil)
        #if canImport(Glibc)
            // The clock of deadlines; the one that it would take by itself can be set.
            var attributes = pthread_condattr_t()
            pthread_condattr_init(&attributes)
            pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
            pthread_cond_init(self.condition, &attributes)
            pthread_condattr_destroy(&attributes)
        #else
            pthread_cond_init(self.condition, nil)
        #endif
    }

    deinit {
        pthread_cond_destroy(self.condition)
        pthread_mutex_destroy(self.lock)
        self.condition.deallocate()
        self.lock.deallocate()
    }

    /// Returns when the condition no longer holds, or the time is up.
    package func wait(atMost duration: Duration?, while condition: () -> Bool) {
        let deadline = duration.map { Clock.system.monotonic() + $0 }
        pthread_mutex_lock(self.lock)
        defer { pthread_mutex_unlock(self.lock) }
        while condition() {
            guard let deadline else {
                pthread_cond_wait(self.condition, self.lock)
                continue
            }
            let left = deadline - Clock.system.monotonic()
            if left <= .zero { return }
            self.wait(until: deadline, left: left)
        }
    }

    /// Taking the lock makes sure that the sleeper is either before its check or inside the wait.
    package func ring() {
        pthread_mutex_lock(self.lock)
        pthread_cond_signal(self.condition)
        pthread_mutex_unlock(self.lock)
    }

    private func wait(until deadline: MonotonicTime, left: Duration) {
        #if canImport(Glibc)
            var time = timespec(deadline.sinceStart)
            pthread_cond_timedwait(self.condition, self.lock, &time)
        #else
            var time = timespec(left)
            pthread_cond_timedwait_relative_np(self.condition, self.lock, &time)
        #endif
    }
}

extension timespec {
    fileprivate init(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        self.init(tv_sec: Int(seconds), tv_nsec: Int(attoseconds / 1_000_000_000))
    }
}
