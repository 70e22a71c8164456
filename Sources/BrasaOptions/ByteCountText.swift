/// Amounts of memory as people write them: a number of bytes, or one with `K`, `M` or `G` for powers of 1024.
package enum ByteCountText {
    /// The largest first.
    private static let units: [(letter: Character, shift: Int)] = [("G", 30), ("M", 20), ("K", 10)]

    package static func parse(_ text: String) -> Int? {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        guard let count = Int(digits) else { return nil }
        let unit = text.dropFirst(digits.count).uppercased()
        if unit.isEmpty { return count }
        guard unit.count == 1, let shift = self.units.first(where: { $0.letter == unit.first })?.shift,
            count <= Int.max >> shift
        else { return nil }
        return count << shift
    }

    /// What `parse` reads, in the largest unit that loses nothing.
    package static func exact(_ count: Int) -> String {
        guard let unit = self.units.first(where: { count > 0 && count & (1 << $0.shift - 1) == 0 }) else {
            return String(count)
        }
        return "\(count >> unit.shift)\(unit.letter)"
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
