/// Digits of base 16.
package enum Hexadecimal {
    package enum Letters: Sendable {
        case upper, lower
    }

    /// Of the lower four bits.
    package static func digit(_ value: UInt8, _ letters: Letters) -> UInt8 {
        switch value & 0xF {
        case 0..<10: UInt8(ascii: "0") + value & 0xF
        case let rest: (letters == .upper ? UInt8(ascii: "A") : UInt8(ascii: "a")) + rest - 10
        }
    }

    /// Two digits for each byte.
    package static func encode(_ bytes: some Collection<UInt8>, _ letters: Letters) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(2 * bytes.count)
        for byte in bytes {
            text.append(self.digit(byte >> 4, letters))
            text.append(self.digit(byte, letters))
        }
        return text
    }

    /// Of either case; nil for any other character.
    package static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}
