#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The two clocks a database needs, as a seam: the simulation passes its own.
package struct Clock: Sendable {
    /// Microseconds since the Unix epoch; may step in either direction.
    package let wall: @Sendable () -> Int64
    /// Nanoseconds from an arbitrary start; never steps back.
    package let monotonic: @Sendable () -> Int64

    package init(wall: @escaping @Sendable () -> Int64, monotonic: @escaping @Sendable () -> Int64) {
        self.wall = wall
        self.monotonic = monotonic
    }

    package static let system = Clock(
        wall: {
            var time = timespec()
            clock_gettime(CLOCK_REALTIME, &time)
            return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000
        },
        monotonic: {
            var time = timespec()
            clock_gettime(CLOCK_MONOTONIC, &time)
            return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
        }
    )
}
