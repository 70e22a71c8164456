/// What a stop-watch shows. Only how far two of them are apart means something, and only within one process.
package struct MonotonicTime: Hashable, Comparable, Sendable {
    /// A duration keeps its unit; a number of them would not. Adding and comparing is as cheap.
    package let sinceStart: Duration

    package init(sinceStart: Duration) {
        self.sinceStart = sinceStart
    }

    package static func + (time: MonotonicTime, duration: Duration) -> MonotonicTime {
        MonotonicTime(sinceStart: time.sinceStart + duration)
    }

    package static func - (time: MonotonicTime, duration: Duration) -> MonotonicTime {
        MonotonicTime(sinceStart: time.sinceStart - duration)
    }

    package static func - (later: MonotonicTime, earlier: MonotonicTime) -> Duration {
        later.sinceStart - earlier.sinceStart
    }

    package static func < (left: MonotonicTime, right: MonotonicTime) -> Bool { left.sinceStart < right.sinceStart }
}

extension Duration {
    /// Truncated; at the bounds of the type for what is out of range.
    package var microseconds: Int {
        let (seconds, attoseconds) = self.components
        let (product, overflow) = Int(seconds).multipliedReportingOverflow(by: 1_000_000)
        let (sum, overflow2) = product.addingReportingOverflow(Int(attoseconds / 1_000_000_000_000))
        return overflow || overflow2 ? (seconds < 0 ? .min : .max) : sum
    }
}
