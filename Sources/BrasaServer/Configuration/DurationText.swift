/// Durations as people write them: a number and one of `ms`, `s`, `m`, `h`, `d`.
package enum DurationText {
    package static func parse(_ text: String) -> Duration? {
        let digits = text.prefix(while: \.isNumber)
        guard let count = Int64(digits), count >= 0 else { return nil }
        let unit: Int64
        switch text.dropFirst(digits.count) {
        case "ms": return .milliseconds(count)
        case "s": unit = 1
        case "m": unit = 60
        case "h": unit = 3_600
        case "d": unit = 86_400
        default: return nil
        }
        // A century is beyond any use and well within the arithmetic.
        guard count <= 36_525 * 86_400 / unit else { return nil }
        return .seconds(count * unit)
    }
}
