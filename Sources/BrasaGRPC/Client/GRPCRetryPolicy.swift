package import BrasaStatus
package import NIOCore

/// When and how often a failed call is repeated: data, without a clock or a random source of its own.
package struct GRPCRetryPolicy: Sendable {
    package var codes: Set<StatusCode>
    /// Only a server's own status counts: a call whose connection broke may have been done.
    package var answersOnly: Bool
    package var initialBackoff: TimeAmount
    package var multiplier: Double
    package var backoffMax: TimeAmount
    /// The share of the backoff that chance decides, 0 to 1.
    package var jitter: Double
    /// Attempts in all, the first included.
    package var attemptsMax: Int

    package init(
        codes: Set<StatusCode>,
        answersOnly: Bool = false,
        initialBackoff: TimeAmount,
        multiplier: Double,
        backoffMax: TimeAmount,
        jitter: Double,
        attemptsMax: Int
    ) {
        self.codes = codes
        self.answersOnly = answersOnly
        self.initialBackoff = initialBackoff
        self.multiplier = multiplier
        self.backoffMax = backoffMax
        self.jitter = jitter
        self.attemptsMax = attemptsMax
    }

    /// How long to wait before the next attempt; nil when there is to be none. `chance` is random, 0 to 1.
    package func backoff(after result: GRPCCallResult, attempts: Int, chance: Double) -> TimeAmount? {
        guard attempts < self.attemptsMax else { return nil }
        let isListed = self.codes.contains(result.status.code) && (result.isAnswer || !self.answersOnly)
        guard isListed || result.isSafeToRepeat else { return nil }
        let cap = Double(self.backoffMax.nanoseconds)
        var nanoseconds = min(Double(self.initialBackoff.nanoseconds), cap)
        for _ in 1..<max(1, attempts) where nanoseconds < cap { nanoseconds = min(nanoseconds * self.multiplier, cap) }
        let spread = 1 - self.jitter + 2 * self.jitter * chance
        return .nanoseconds(Int64(min(nanoseconds * spread, cap)))
    }
}
