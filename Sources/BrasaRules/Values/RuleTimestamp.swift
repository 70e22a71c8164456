import BrasaBytes
package import BrasaDocuments

/// A point in time in nanoseconds, in the years 1 to 9999.
package struct RuleTimestamp: Hashable, Sendable {
    /// Nanoseconds since the Unix epoch.
    let total: Int128

    static let second: Int128 = 1_000_000_000
    private static let range: ClosedRange<Int128> =
        (Int128(-62_135_596_800) * 1_000_000_000)...(Int128(253_402_300_799) * 1_000_000_000 + 999_999_999)

    package init(_ timestamp: Timestamp) {
        self.total = Int128(timestamp.microseconds) * 1_000
    }

    init(total: Int128) throws(EvaluationError) {
        guard Self.range.contains(total) else { throw .timestampOutOfRange }
        self.total = total
    }

    /// Nil for a part of a microsecond.
    var stored: Timestamp? {
        self.total % 1_000 == 0 ? Timestamp(microseconds: Int64(truncatingIfNeeded: self.total / 1_000)) : nil
    }

    init(milliseconds: Int64) throws(EvaluationError) {
        try self.init(total: Int128(milliseconds) * 1_000_000)
    }

    /// Whole days since the epoch, and the nanoseconds of the day.
    private var split: (days: Int64, nanos: Int64) {
        let day = Self.second * 86_400
        let (quotient, remainder) = self.total.quotientAndRemainder(dividingBy: day)
        return remainder < 0
            ? (Int64(truncatingIfNeeded: quotient) - 1, Int64(truncatingIfNeeded: remainder + day))
            : (Int64(truncatingIfNeeded: quotient), Int64(truncatingIfNeeded: remainder))
    }

    var date: CivilDate { CivilDate(daysSinceEpoch: self.split.days) }
    /// 1 is Monday.
    var dayOfWeek: Int64 { ((self.split.days + 3) % 7 + 7) % 7 + 1 }
    var dayOfYear: Int64 { self.split.days - CivilDate(year: self.date.year, month: 1, day: 1).daysSinceEpoch + 1 }
    var hours: Int64 { self.split.nanos / 3_600_000_000_000 }
    var minutes: Int64 { self.split.nanos / 60_000_000_000 % 60 }
    var seconds: Int64 { self.split.nanos / 1_000_000_000 % 60 }
    var nanos: Int64 { self.split.nanos % 1_000_000_000 }
    var nanosOfDay: Int64 { self.split.nanos }

    var midnight: RuleTimestamp {
        (try? RuleTimestamp(total: self.total - Int128(self.split.nanos))) ?? self
    }

    var milliseconds: Int64 {
        let (quotient, remainder) = self.total.quotientAndRemainder(dividingBy: 1_000_000)
        return Int64(truncatingIfNeeded: remainder < 0 ? quotient - 1 : quotient)
    }
}
