/// How many writes a bulk writer may send: so many a second, and more after each while, so that a server can get ready
/// for them.
struct BulkRate: Sendable {
    static let initialDefault = 500.0
    static let growth = 1.5
    static let growthInterval = Duration.seconds(300)

    private let initial: Double
    private let start: ContinuousClock.Instant
    private var available: Double
    private var filledAt: ContinuousClock.Instant

    init(initial: Double = Self.initialDefault, now: ContinuousClock.Instant) {
        self.initial = initial
        self.start = now
        self.available = initial
        self.filledAt = now
    }

    func perSecond(at now: ContinuousClock.Instant) -> Double {
        let steps = ((now - self.start) / Self.growthInterval).rounded(.down)
        var rate = self.initial
        // Past a hundred steps the rate is beyond all writers.
        for _ in 0..<Int(min(max(steps, 0), 100)) { rate *= Self.growth }
        return rate
    }

    /// Takes so many, at most a second's worth, or says how long to wait for them.
    mutating func take(_ count: Int, now: ContinuousClock.Instant) -> Duration? {
        let rate = self.perSecond(at: now)
        let elapsed = (now - self.filledAt) / .seconds(1)
        self.available = min(self.available + elapsed * rate, rate)
        self.filledAt = now
        let wanted = min(Double(count), rate)
        guard self.available < wanted else {
            self.available -= wanted
            return nil
        }
        return .seconds((wanted - self.available) / rate)
    }
}
