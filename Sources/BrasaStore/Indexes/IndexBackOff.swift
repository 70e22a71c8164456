import BrasaPlatform

/// How often an index failed, and until when it is not tried again: for a while the first time, and for twice as long each
/// time after.
struct IndexBackOff {
    private let span: Duration
    private var failures = 0
    private(set) var until: MonotonicTime

    private static let doublingsMax = 7

    /// - Parameter span: for how long it waits the first time.
    init(span: Duration, at now: MonotonicTime) {
        self.span = span
        self.until = now
    }

    mutating func fail(at now: MonotonicTime) {
        // It has been there for longer than any failure waits.
        if self.until + self.span * (1 << Self.doublingsMax) < now { self.failures = 0 }
        self.failures += 1
        self.until = now + self.wait
    }

    /// Until then a failure is known, so that one that fails again waits for longer.
    var end: MonotonicTime { self.until + self.wait }

    private var wait: Duration { self.span * (1 << min(max(self.failures - 1, 0), Self.doublingsMax)) }
}
