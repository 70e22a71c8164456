import BrasaBytes

/// RFC 3339 in UTC.
extension Timestamp {
    /// Digits of a second's fraction.
    package enum FractionDigits: Sendable {
        /// None, three or six.
        case asNeeded
        case microseconds
    }

    package func rfc3339(_ fraction: FractionDigits) -> String {
        let second = self.seconds
        let (quotient, remainder) = second.quotientAndRemainder(dividingBy: Self.secondsPerDay)
        let isBefore = remainder < 0
        let date = CivilDate(daysSinceEpoch: isBefore ? quotient - 1 : quotient)
        let time = isBefore ? remainder + Self.secondsPerDay : remainder
        let day = "\(Self.digits(date.year, 4))-\(Self.digits(date.month, 2))-\(Self.digits(date.day, 2))"
        let clock = [time / 3_600, time / 60 % 60, time % 60].map { Self.digits($0, 2) }.joined(separator: ":")
        return "\(day)T\(clock)\(Self.text(ofMicros: Int64(self.nanos) / 1_000, fraction))Z"
    }

    /// `2026-01-31T12:00:00.123456789Z`, the fraction of up to nine digits optional; what is below a microsecond is cut
    /// off. Nil when it is no such text, or there is no such time.
    package init?(rfc3339 text: [UInt8]) {
        guard text.count >= 20, text[4] == UInt8(ascii: "-"), text[7] == UInt8(ascii: "-"),
            text[10] == UInt8(ascii: "T"), text[13] == UInt8(ascii: ":"), text[16] == UInt8(ascii: ":"),
            text.last == UInt8(ascii: "Z"), let year = Self.number(text[0..<4]), let month = Self.number(text[5..<7]),
            let day = Self.number(text[8..<10]), let hour = Self.number(text[11..<13]),
            let minute = Self.number(text[14..<16]), let second = Self.number(text[17..<19]),
            let date = CivilDate(checking: year, month, day), hour < 24, minute < 60, second < 60
        else { return nil }
        var nanos: Int64 = 0
        if text.count > 20 {
            let digits = text[20..<(text.count - 1)]
            guard text[19] == UInt8(ascii: "."), (1...9).contains(digits.count), let fraction = Self.number(digits)
            else {
                return nil
            }
            nanos = (digits.count..<9).reduce(fraction) { value, _ in value * 10 }
        }
        let time = hour * 3_600 + minute * 60 + second
        self.init(seconds: date.daysSinceEpoch * Self.secondsPerDay + time, nanos: Int32(nanos))
    }

    private static let secondsPerDay: Int64 = 86_400

    private static func text(ofMicros micros: Int64, _ fraction: FractionDigits) -> String {
        if fraction == .asNeeded && micros == 0 { return "" }
        if fraction == .asNeeded && micros % 1_000 == 0 { return ".\(self.digits(micros / 1_000, 3))" }
        return ".\(self.digits(micros, 6))"
    }

    private static func digits(_ number: Int64, _ count: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, count - text.count)) + text
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> Int64? {
        var number: Int64 = 0
        for digit in digits {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
            number = number * 10 + Int64(digit - UInt8(ascii: "0"))
        }
        return number
    }
}
