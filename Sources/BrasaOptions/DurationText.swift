/// Durations as people write them: a number and one of `ms`, `s`, `m`, `h`, `d`.
package enum DurationText {
    package static func parse(_ text: String) -> Duration? {
        let digits = text.prefix(while: \.isNumber)
        guard let count = Int64(digits), count >= 0 else { return nil }
        let (unitsPerSecond, secondsPerUnit): (Int64, Int64)
        switch text.dropFirst(digits.count) {
        case "ms": (unitsPerSecond, secondsPerUnit) = (1_000, 1)
        case "s": (unitsPerSecond, secondsPerUnit) = (1, 1)
        case "m": (unitsPerSecond, secondsPerUnit) = (1, 60)
        case "h": (unitsPerSecond, secondsPerUnit) = (1, 3_600)
        case "d": (unitsPerSecond, secondsPerUnit) = (1, 86_400)
        default: return nil
        }
        // A century is beyond any use and well within the arithmetic.
        guard count <= 36_525 * 86_400 * unitsPerSecond / secondsPerUnit else { return nil }
        return .milliseconds(count * secondsPerUnit * 1_000 / unitsPerSecond)
    }
}
