/// Amounts of memory as people write them: a number of bytes, or one with `K`, `M` or `G` for powers of 1024.
package enum ByteCountText {
    package static func parse(_ text: String) -> Int? {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        guard let count = Int(digits) else { return nil }
        let shift: Int
        switch text.dropFirst(digits.count).uppercased() {
        case "": shift = 0
        case "K": shift = 10
        case "M": shift = 20
        case "G": shift = 30
        default: return nil
        }
        guard count <= Int.max >> shift else { return nil }
        return count << shift
    }

    /// Rounded, for people.
    package static func format(_ count: Int64) -> String {
        var unit = "B"
        var tenths = max(count, 0) &* 10
        guard count >= 1024, count <= Int64.max / 10 else { return "\(count) B" }
        for next in ["KiB", "MiB", "GiB", "TiB"] where tenths >= 10_240 {
            tenths = (tenths + 512) / 1024
            unit = next
        }
        return "\(tenths / 10).\(tenths % 10) \(unit)"
    }
}
