#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The two clocks a database needs, as a seam: the simulation passes its own. Each has its own type of times, so that one
/// is never taken for the other.
package struct Clock: Sendable {
    /// May step in either direction.
    package let wall: @Sendable () -> WallTime
    /// Never steps back.
    package let monotonic: @Sendable () -> MonotonicTime

    package init(wall: @escaping @Sendable () -> WallTime, monotonic: @escaping @Sendable () -> MonotonicTime) {
        self.wall = wall
        self.monotonic = monotonic
    }

    package static let system = Clock(
        wall: {
            var time = timespec()
            clock_gettime(CLOCK_REALTIME, &time)
            return WallTime(microseconds: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000)
        },
        monotonic: {
            var time = timespec()
            clock_gettime(CLOCK_MONOTONIC, &time)
            return MonotonicTime(sinceStart: .seconds(Int64(time.tv_sec)) + .nanoseconds(Int64(time.tv_nsec)))
        }
    )
}
