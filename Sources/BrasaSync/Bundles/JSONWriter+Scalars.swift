internal import BrasaDocuments

extension JSONWriter {
    /// RFC 3339 in UTC, with the digits of milliseconds or microseconds when there are such.
    mutating func timestamp(_ time: Timestamp) {
        self.string(time.rfc3339.utf8)
    }

    mutating func base64(_ bytes: [UInt8]) {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            let bits = (0..<3).reduce(UInt32(0)) { bits, index in
                bits << 8 | (index < group.count ? UInt32(group[start + index]) : 0)
            }
            for digit in 0..<4 {
                let isPadding = digit > group.count
                let index = Int(bits >> UInt32(18 - 6 * digit) & 0x3F)
                text.append(isPadding ? UInt8(ascii: "=") : alphabet[index])
            }
        }
        self.string(text)
    }
}

extension Timestamp {
    fileprivate var rfc3339: String {
        let seconds = self.seconds
        let (year, month, day) = Self.date(daysSince1970: Self.floor(seconds, by: 86_400))
        let time = seconds - Self.floor(seconds, by: 86_400) * 86_400
        let date = "\(Self.digits(year, 4))-\(Self.digits(month, 2))-\(Self.digits(day, 2))"
        let clock = [time / 3600, time / 60 % 60, time % 60].map { Self.digits($0, 2) }.joined(separator: ":")
        let micros = Int64(self.nanos) / 1_000
        if micros == 0 { return "\(date)T\(clock)Z" }
        let fraction = micros % 1_000 == 0 ? Self.digits(micros / 1_000, 3) : Self.digits(micros, 6)
        return "\(date)T\(clock).\(fraction)Z"
    }

    private static func digits(_ number: Int64, _ count: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, count - text.count)) + text
    }

    private static func floor(_ number: Int64, by divisor: Int64) -> Int64 {
        let (quotient, remainder) = number.quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? quotient - 1 : quotient
    }

    /// In the Gregorian calendar. Counted from 1 March of the year 0, so that leap days come last, in spans of 400 years,
    /// all of which are equal.
    private static func date(daysSince1970 days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let shifted = days + 719_468
        let span = self.floor(shifted, by: 146_097)
        let dayOfSpan = shifted - span * 146_097
        let yearOfSpan = (dayOfSpan - dayOfSpan / 1_460 + dayOfSpan / 36_524 - dayOfSpan / 146_096) / 365
        let dayOfYear = dayOfSpan - (365 * yearOfSpan + yearOfSpan / 4 - yearOfSpan / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        return (span * 400 + yearOfSpan + (month <= 2 ? 1 : 0), month, day)
    }
}
