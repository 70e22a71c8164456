import Synchronization

/// How many calls one caller may make: so many a second, and as many at once after a second without any. One for all event
/// loops; a call costs it one atomic exchange.
package final class CallRate: Sendable {
    private static let second: UInt64 = 1_000_000_000

    /// Of the clock for each call.
    private let share: UInt64
    /// When the calls so far are paid for.
    private let paid = Atomic<UInt64>(0)

    /// - Parameter perSecond: from 1.
    package init(perSecond: Int) {
        self.share = Self.second / UInt64(max(1, perSecond))
    }

    /// - Parameter now: nanoseconds of a clock that never goes back, the same for all calls.
    /// - Returns: nil when the call may go on, else after how many nanoseconds one may.
    package func take(at now: UInt64) -> UInt64? {
        var paid = self.paid.load(ordering: .relaxed)
        while true {
            let after = max(paid, now) + self.share
            let credit = after - now
            guard credit <= Self.second else { return credit - Self.second }
            let (isTaken, found) = self.paid.weakCompareExchange(expected: paid, desired: after, ordering: .relaxed)
            if isTaken { return nil }
            paid = found
        }
    }

    /// Nothing is known of it that one that is new would not know.
    package func isIdle(at now: UInt64) -> Bool { self.paid.load(ordering: .relaxed) <= now }
}
