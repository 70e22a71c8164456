internal import BrasaDocuments

extension JSONValue {
    /// RFC 3339 in UTC, or an object of seconds and nanos.
    var timestamp: Timestamp? {
        switch self {
        case .string(let text): return Timestamp(rfc3339: Array(text.utf8))
        case .object:
            let nanos = self["nanos"]?.integer ?? 0
            return Timestamp(seconds: self["seconds"]?.integer ?? 0, nanos: Int32(clamping: nanos))
        default: return nil
        }
    }

    /// Base64, of either alphabet, with or without padding.
    var bytes: [UInt8]? {
        guard let text = self.string else { return nil }
        var bytes: [UInt8] = []
        var (bits, count): (UInt32, Int) = (0, 0)
        var hasEnded = false
        for character in text.utf8 {
            if character == UInt8(ascii: "=") {
                hasEnded = true
                continue
            }
            guard !hasEnded, let digit = Self.base64Digit(character) else { return nil }
            bits = bits << 6 | digit
            count += 6
            guard count >= 8 else { continue }
            count -= 8
            bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
        }
        // A rest of six bits is no byte at all.
        return count < 6 ? bytes : nil
    }

    private static func base64Digit(_ character: UInt8) -> UInt32? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(character - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(character - UInt8(ascii: "a")) + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(character - UInt8(ascii: "0")) + 52
        case UInt8(ascii: "+"), UInt8(ascii: "-"): 62
        case UInt8(ascii: "/"), UInt8(ascii: "_"): 63
        default: nil
        }
    }
}

extension Timestamp {
    /// `2026-01-31T12:00:00.123456789Z`, the fraction of up to nine digits optional.
    fileprivate init?(rfc3339 text: [UInt8]) {
        guard text.count >= 20, text[4] == UInt8(ascii: "-"), text[7] == UInt8(ascii: "-"),
            text[10] == UInt8(ascii: "T"), text[13] == UInt8(ascii: ":"), text[16] == UInt8(ascii: ":"),
            text.last == UInt8(ascii: "Z"), let year = Self.number(text[0..<4]), let month = Self.number(text[5..<7]),
            let day = Self.number(text[8..<10]), let hour = Self.number(text[11..<13]),
            let minute = Self.number(text[14..<16]), let second = Self.number(text[17..<19]),
            (1...12).contains(month), (1...31).contains(day), hour < 24, minute < 60, second < 60
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
        let days = Self.days(year: year, month: month, day: day)
        self.init(seconds: days * 86_400 + hour * 3_600 + minute * 60 + second, nanos: Int32(nanos))
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> Int64? {
        var number: Int64 = 0
        for digit in digits {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
            number = number * 10 + Int64(digit - UInt8(ascii: "0"))
        }
        return number
    }

    /// Since 1970, in the Gregorian calendar; years begin in March, so that leap days come last.
    private static func days(year: Int64, month: Int64, day: Int64) -> Int64 {
        let shifted = month <= 2 ? year - 1 : year
        let monthFromMarch = (month + 9) % 12
        let leapDays = shifted / 4 - shifted / 100 + shifted / 400
        return 365 * shifted + leapDays + (153 * monthFromMarch + 2) / 5 + day - 1 - 719_468
    }
}
