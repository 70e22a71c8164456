/// Bytes as `%` and two hexadecimal digits. Which ones need it depends on where the text goes.
package enum PercentEncoding {
    package static func append(_ byte: UInt8, to text: inout [UInt8]) {
        text.append(UInt8(ascii: "%"))
        text.append(Hexadecimal.digit(byte >> 4, .upper))
        text.append(Hexadecimal.digit(byte, .upper))
    }

    /// What becomes of a `%` without two digits behind it.
    package enum Incomplete: Sendable {
        case isRefused
        case standsForItself
    }

    /// Nil when a `%` has no two digits behind it and that is refused. What comes out may be no UTF-8.
    package static func decode(
        _ text: some Collection<UInt8>,
        incomplete: Incomplete = .isRefused,
        plusIsSpace: Bool = false
    ) -> [UInt8]? {
        var decoded: [UInt8] = []
        decoded.reserveCapacity(text.count)
        var rest = text[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "%"):
                var behind = rest
                let high = behind.popFirst().flatMap(Hexadecimal.value)
                let low = behind.popFirst().flatMap(Hexadecimal.value)
                if let high, let low {
                    decoded.append(high << 4 | low)
                    rest = behind
                } else if incomplete == .standsForItself {
                    decoded.append(byte)
                } else {
                    return nil
                }
            case UInt8(ascii: "+") where plusIsSpace: decoded.append(UInt8(ascii: " "))
            default: decoded.append(byte)
            }
        }
        return decoded
    }
}
