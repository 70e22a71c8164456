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

/// A day of the calendar that is in use, counted back before its beginning.
struct CivilDate: Hashable {
    var year: Int64
    var month: Int64
    var day: Int64

    init(year: Int64, month: Int64, day: Int64) {
        self.year = year
        self.month = month
        self.day = day
    }

    /// Nil when there is no such day in the years 1 to 9999.
    init?(checking year: Int64, _ month: Int64, _ day: Int64) {
        guard (1...9_999).contains(year), (1...12).contains(month), (1...31).contains(day) else { return nil }
        self.init(year: year, month: month, day: day)
        guard CivilDate(daysSinceEpoch: self.daysSinceEpoch) == self else { return nil }
    }

    /// Years begin in March here, so that the leap day is the last one; 400 of them are an era.
    init(daysSinceEpoch: Int64) {
        let shifted = daysSinceEpoch + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        self.day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        self.month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        self.year = yearOfEra + era * 400 + (self.month <= 2 ? 1 : 0)
    }

    var daysSinceEpoch: Int64 {
        let year = self.month <= 2 ? self.year - 1 : self.year
        let era = (year >= 0 ? year : year - 399) / 400
        let yearOfEra = year - era * 400
        let dayOfYear = (153 * (self.month > 2 ? self.month - 3 : self.month + 9) + 2) / 5 + self.day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }
}
