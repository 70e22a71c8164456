package import NIOCore

/// The `grpc-timeout` header: one to eight digits and a unit.
package enum GRPCTimeout {
    private static let valueMax: Int64 = 99_999_999

    /// Nil when malformed. What does not fit into nanoseconds (292 years) becomes the longest that does.
    package static func parse(_ text: some Collection<UInt8>) -> TimeAmount? {
        guard (2...9).contains(text.count) else { return nil }
        var value: Int64 = 0
        var unit: UInt8 = 0
        var position = 0
        for character in text {
            position += 1
            if position == text.count {
                unit = character
            } else {
                guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(character) else { return nil }
                value = value * 10 + Int64(character - UInt8(ascii: "0"))
            }
        }
        guard let nanosecondsPerUnit = self.nanoseconds(per: unit) else { return nil }
        let (nanoseconds, overflow) = value.multipliedReportingOverflow(by: nanosecondsPerUnit)
        return .nanoseconds(overflow ? .max : nanoseconds)
    }

    /// The finest unit that needs at most eight digits, rounded up, so that the server never gives up before the client.
    package static func encode(_ timeout: TimeAmount) -> String {
        let nanoseconds = max(0, timeout.nanoseconds)
        let units: [(Int64, String)] = [
            (1, "n"), (1_000, "u"), (1_000_000, "m"), (1_000_000_000, "S"), (60_000_000_000, "M"),
        ]
        for (size, unit) in units {
            let (quotient, remainder) = nanoseconds.quotientAndRemainder(dividingBy: size)
            let value = quotient + (remainder > 0 ? 1 : 0)
            if value <= self.valueMax { return "\(value)\(unit)" }
        }
        return "\(nanoseconds / 3_600_000_000_000 + 1)H"
    }

    private static func nanoseconds(per unit: UInt8) -> Int64? {
        switch unit {
        case UInt8(ascii: "n"): 1
        case UInt8(ascii: "u"): 1_000
        case UInt8(ascii: "m"): 1_000_000
        case UInt8(ascii: "S"): 1_000_000_000
        case UInt8(ascii: "M"): 60_000_000_000
        case UInt8(ascii: "H"): 3_600_000_000_000
        default: nil
        }
    }
}
