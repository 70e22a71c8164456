/// RFC 4648.
package enum Base64 {
    /// Which characters stand for 62 and 63.
    package enum Alphabet: Sendable {
        /// `+` and `/`.
        case standard
        /// `-` and `_`.
        case url
        /// Reads what was written in either.
        case any
    }

    /// - Parameter alphabet: with `any`, the standard one.
    package static func encode(_ bytes: some Collection<UInt8>, _ alphabet: Alphabet, isPadded: Bool) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        var (bits, count): (UInt32, UInt32) = (0, 0)
        for byte in bytes {
            bits = bits << 8 | UInt32(byte)
            count += 8
            while count >= 6 {
                count -= 6
                text.append(self.digit(UInt8(truncatingIfNeeded: bits >> count) & 63, alphabet))
            }
        }
        if count > 0 { text.append(self.digit(UInt8(truncatingIfNeeded: bits << (6 - count)) & 63, alphabet)) }
        while isPadded && text.count % 4 != 0 { text.append(UInt8(ascii: "=")) }
        return text
    }

    /// With or without padding. Nil for a foreign character, a length that no bytes have, padding that does not fit, or bits
    /// left over that are not zero: there is one text of given bytes, but for its padding.
    package static func decode(_ text: some Collection<UInt8>, _ alphabet: Alphabet) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count / 4 * 3 + 2)
        var (bits, count): (UInt32, UInt32) = (0, 0)
        var (digits, padding) = (0, 0)
        for character in text {
            if character == UInt8(ascii: "=") {
                padding += 1
                continue
            }
            guard padding == 0, let value = self.value(character, alphabet) else { return nil }
            digits += 1
            bits = bits << 6 | UInt32(value)
            count += 6
            if count >= 8 {
                count -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> count))
            }
        }
        guard digits % 4 != 1, bits & ((1 << count) - 1) == 0 else { return nil }
        guard padding == 0 || padding == (4 - digits % 4) % 4 else { return nil }
        return bytes
    }

    private static func digit(_ value: UInt8, _ alphabet: Alphabet) -> UInt8 {
        switch value {
        case 0..<26: UInt8(ascii: "A") + value
        case 26..<52: UInt8(ascii: "a") + value - 26
        case 52..<62: UInt8(ascii: "0") + value - 52
        case 62: alphabet == .url ? UInt8(ascii: "-") : UInt8(ascii: "+")
        default: alphabet == .url ? UInt8(ascii: "_") : UInt8(ascii: "/")
        }
    }

    private static func value(_ character: UInt8, _ alphabet: Alphabet) -> UInt8? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): character - UInt8(ascii: "A")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): character - UInt8(ascii: "a") + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0") + 52
        case UInt8(ascii: "+") where alphabet != .url, UInt8(ascii: "-") where alphabet != .standard: 62
        case UInt8(ascii: "/") where alphabet != .url, UInt8(ascii: "_") where alphabet != .standard: 63
        default: nil
        }
    }
}
