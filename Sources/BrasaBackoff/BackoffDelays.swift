/// How long to wait between attempts of something that keeps failing: not at all once, then longer and longer, with
/// chance, so that many clients do not come back at the same moment.
package struct BackoffDelays: Hashable, Sendable {
    package struct Settings: Hashable, Sendable {
        package var initial = Duration.seconds(1)
        package var factor = 1.5
        package var max = Duration.seconds(60)
        /// The share of the wait that chance decides, up or down.
        package var jitter = 0.5

        package init() {}
    }

    private let settings: Settings
    /// Zero after a reset.
    private var base = Duration.zero

    package init(_ settings: Settings = Settings()) {
        self.settings = settings
    }

    /// The next attempt may follow at once.
    package var isReset: Bool { self.base == .zero }

    /// Success, or something that has nothing to do with the failures so far: the next attempt may follow at once.
    package mutating func reset() {
        self.base = .zero
    }

    /// It works, though perhaps not for long: the next delay is not longer than the first one.
    package mutating func shorten() {
        self.base = Swift.min(self.base, self.settings.initial)
    }

    /// The server is overloaded: no attempt for as long as there is.
    package mutating func resetToLongest() {
        self.base = self.settings.max
    }

    /// The wait before the next attempt. `spent` is the time since the last one began; `chance` is random, 0 to 1.
    package mutating func next(spent: Duration, chance: Double) -> Duration {
        let wait = self.base * (1 - self.settings.jitter + 2 * self.settings.jitter * chance)
        let grown = Swift.max(self.base * self.settings.factor, self.settings.initial)
        self.base = Swift.min(grown, self.settings.max)
        return Swift.max(.zero, wait - spent)
    }
}
