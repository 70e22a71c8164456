/// A point in time in whole microseconds since the Unix epoch: the precision of commit times and of stored values.
///
/// Usable from inline, so that the rooms that write it into messages need no call for each of its parts.
@usableFromInline
package struct Timestamp: Hashable, Comparable, Sendable {
    @usableFromInline
    package var microseconds: Int64

    /// 0001-01-01T00:00:00Z, the earliest time the protocol can carry.
    package static let earliest = Timestamp(microseconds: -62_135_596_800_000_000)
    /// 9999-12-31T23:59:59.999999Z, the latest.
    package static let latest = Timestamp(microseconds: 253_402_300_799_999_999)

    @inlinable
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

    /// Whole seconds, rounded towards the past, and the rest in nanoseconds, 0...999 999 000. One division for both.
    @inlinable
    package var parts: (seconds: Int64, nanos: Int32) {
        let (quotient, remainder) = self.microseconds.quotientAndRemainder(dividingBy: 1_000_000)
        let isBelow = remainder < 0
        let rest = isBelow ? remainder + 1_000_000 : remainder
        return (seconds: isBelow ? quotient - 1 : quotient, nanos: Int32(truncatingIfNeeded: rest) * 1_000)
    }

    @inlinable
    package var seconds: Int64 { self.parts.seconds }

    @inlinable
    package var nanos: Int32 { self.parts.nanos }

    @inlinable
    package static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.microseconds < right.microseconds
    }
}
