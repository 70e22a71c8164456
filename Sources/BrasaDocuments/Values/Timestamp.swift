/// A point in time in whole microseconds since the Unix epoch: the precision of commit times and of stored values.
package struct Timestamp: Hashable, Comparable, Sendable {
    package var microseconds: Int64

    /// 0001-01-01T00:00:00Z, the earliest time the protocol can carry.
    package static let earliest = Timestamp(microseconds: -62_135_596_800_000_000)
    /// 9999-12-31T23:59:59.999999Z, the latest.
    package static let latest = Timestamp(microseconds: 253_402_300_799_999_999)

    package init(microseconds: Int64) {
        self.microseconds = microseconds
    }

    /// Truncates to microseconds. Nil when `nanos` is not in 0...999 999 999 or the time is out of the protocol's
    /// range.
    package init?(seconds: Int64, nanos: Int32) {
        guard (-62_135_596_800...253_402_300_799).contains(seconds), (0...999_999_999).contains(nanos) else {
            return nil
        }
        self.microseconds = seconds * 1_000_000 + Int64(nanos / 1_000)
    }

    /// Whole seconds, rounded towards the past.
    package var seconds: Int64 {
        let (quotient, remainder) = self.microseconds.quotientAndRemainder(dividingBy: 1_000_000)
        return remainder < 0 ? quotient - 1 : quotient
    }

    /// The rest in nanoseconds, 0...999 999 000.
    package var nanos: Int32 {
        Int32((self.microseconds - self.seconds * 1_000_000) * 1_000)
    }

    package static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.microseconds < right.microseconds
    }
}
