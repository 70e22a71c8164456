/// A length of time in nanoseconds, up to 10,000 years either way.
package struct RuleDuration: Hashable, Sendable {
    let total: Int128

    private static let max: Int128 = 315_576_000_000 * 1_000_000_000

    init(total: Int128) throws(EvaluationError) {
        guard (-Self.max...Self.max).contains(total) else { throw .durationOutOfRange }
        self.total = total
    }

    /// A number of these units; nil when there is no such unit.
    init?(_ count: Int64, unit: String) throws(EvaluationError) {
        let nanos: Int128
        switch unit {
        case "w": nanos = 604_800 * RuleTimestamp.second
        case "d": nanos = 86_400 * RuleTimestamp.second
        case "h": nanos = 3_600 * RuleTimestamp.second
        case "m": nanos = 60 * RuleTimestamp.second
        case "s": nanos = RuleTimestamp.second
        case "ms": nanos = 1_000_000
        case "ns": nanos = 1
        default: return nil
        }
        try self.init(total: Int128(count) * nanos)
    }

    var seconds: Int64 { Int64(truncatingIfNeeded: self.total / RuleTimestamp.second) }
    /// What is left of a second, of the same sign.
    var nanos: Int64 { Int64(truncatingIfNeeded: self.total % RuleTimestamp.second) }
}
