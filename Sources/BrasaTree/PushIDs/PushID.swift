/// Keys of 20 characters that sort by when they were made: 8 of a time in milliseconds, 12 of chance, each of 6 bits in an
/// alphabet whose order is that of its characters.
package struct PushID: Hashable, Sendable {
    package let milliseconds: Int64
    /// Twelve numbers of 6 bits.
    package let chance: [UInt8]

    static let alphabet = Array("-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz".utf8)
    /// 8 characters of 6 bits.
    static let millisecondsMax: Int64 = 1 << 48 - 1
    static let chanceCount = 12

    /// Time and chance are brought within their bounds.
    init(milliseconds: Int64, chance: [UInt8]) {
        self.milliseconds = min(max(milliseconds, 0), Self.millisecondsMax)
        self.chance = chance.map { $0 & 63 }
    }

    /// Nil when the key is no push id.
    package init?(_ key: TreeKey) {
        guard key.utf8.count == 8 + Self.chanceCount else { return nil }
        var digits: [UInt8] = []
        for byte in key.utf8 {
            guard let digit = Self.alphabet.firstIndex(of: byte) else { return nil }
            digits.append(UInt8(digit))
        }
        self.milliseconds = digits.prefix(8).reduce(0) { $0 << 6 | Int64($1) }
        self.chance = Array(digits.dropFirst(8))
    }

    package var key: TreeKey {
        let time = (0..<8).map { Int(self.milliseconds >> Int64(42 - 6 * $0)) & 63 }
        let text = (time + self.chance.map(Int.init)).map { Self.alphabet[$0] }
        return TreeKey(checked: TreeText(checked: text))
    }
}

/// Makes push ids, each after the one before: within a millisecond, or when the clock has stepped back, the last one's
/// chance plus one.
package struct PushIDGenerator: Sendable {
    private var last: PushID?

    package init() {}

    package mutating func next(
        milliseconds: Int64,
        using random: inout some RandomNumberGenerator
    ) -> TreeKey {
        let milliseconds = min(max(milliseconds, 0), PushID.millisecondsMax)
        let id: PushID
        if let last, milliseconds <= last.milliseconds {
            id = last.successor(using: &random)
        } else {
            id = PushID(milliseconds: milliseconds, chance: PushID.chance(using: &random))
        }
        self.last = id
        return id.key
    }
}

extension PushID {
    fileprivate static func chance(using random: inout some RandomNumberGenerator) -> [UInt8] {
        (0..<self.chanceCount).map { _ in UInt8.random(in: 0...63, using: &random) }
    }

    /// When chance is used up, the next millisecond's first.
    fileprivate func successor(using random: inout some RandomNumberGenerator) -> PushID {
        var chance = self.chance
        for index in chance.indices.reversed() {
            if chance[index] < 63 {
                chance[index] += 1
                return PushID(milliseconds: self.milliseconds, chance: chance)
            }
            chance[index] = 0
        }
        return PushID(milliseconds: self.milliseconds + 1, chance: Self.chance(using: &random))
    }
}
