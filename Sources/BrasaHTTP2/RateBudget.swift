internal import NIOCore

/// How often something may happen in a second. The clock is read only at the first use and when the budget is spent, so
/// that what happens seldom costs nothing: a budget that lasted a second or longer starts anew.
struct RateBudget {
    private let perSecond: Int
    private var remaining: Int
    private var since: NIODeadline?

    init(perSecond: Int) {
        self.perSecond = perSecond
        self.remaining = perSecond
    }

    /// Takes one; false when more than `perSecond` were asked for within a second.
    mutating func spend(now: @autoclosure () -> NIODeadline) -> Bool {
        if self.since == nil { self.since = now() }
        if self.remaining <= 0 {
            let now = now()
            guard let since = self.since, now - since >= .seconds(1) else { return false }
            self.since = now
            self.remaining = self.perSecond
        }
        self.remaining -= 1
        return self.remaining >= 0
    }

    /// Gives `count` more, up to the budget of a second.
    mutating func earn(_ count: Int) {
        self.remaining = min(self.perSecond, self.remaining + count)
    }
}
