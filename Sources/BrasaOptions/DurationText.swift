/// Durations as people write them: a number and one of `ms`, `s`, `m`, `h`, `d`.
package enum DurationText {
    /// The largest first.
    private static let units: [(name: Substring, milliseconds: Int64)] = [
        ("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1_000), ("ms", 1),
    ]
    /// A century is beyond any use and well within the arithmetic.
    private static let millisecondsMax: Int64 = 36_525 * 86_400_000

    package static func parse(_ text: String) -> Duration? {
        let digits = text.prefix(while: \.isNumber)
        let name = text.dropFirst(digits.count)
        guard let count = Int64(digits), count >= 0,
            let unit = self.units.first(where: { $0.name == name }),
            count <= self.millisecondsMax / unit.milliseconds
        else { return nil }
        return .milliseconds(count * unit.milliseconds)
    }

    /// What `parse` reads, in the largest unit that loses nothing above a millisecond.
    package static func format(_ duration: Duration) -> String {
        let milliseconds = self.milliseconds(duration)
        if milliseconds == 0 { return "0s" }
        let unit = self.units.first { milliseconds % $0.milliseconds == 0 }
        return "\(milliseconds / (unit?.milliseconds ?? 1))\(unit?.name ?? "ms")"
    }

    /// For people: whole seconds or more, in the largest unit that there is at least one of.
    package static func rounded(_ duration: Duration) -> String {
        let milliseconds = self.milliseconds(duration)
        let unit = self.units.first { milliseconds >= $0.milliseconds && $0.milliseconds >= 1_000 }
        return unit.map { "\(milliseconds / $0.milliseconds)\($0.name)" } ?? "0s"
    }

    private static func milliseconds(_ duration: Duration) -> Int64 {
        guard duration > .zero else { return 0 }
        let (seconds, attoseconds) = duration.components
        let (whole, overflows) = seconds.multipliedReportingOverflow(by: 1_000)
        return overflows ? self.millisecondsMax : min(whole, self.millisecondsMax) + attoseconds / 1_000_000_000_000_000
    }
}
