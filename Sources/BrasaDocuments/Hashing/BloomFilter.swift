/// A set of document names that answers "perhaps" or "no", in the protocol's form: bit n is bit n % 8 of byte n / 8, and
/// a name's bits come from the two halves of its MD5.
package struct BloomFilter: Hashable, Sendable {
    package private(set) var bitmap: [UInt8]
    /// Unused bits at the end of the bitmap, 0 to 7.
    package let padding: Int
    package let hashCount: Int

    private var bitCount: Int { self.bitmap.count * 8 - self.padding }

    /// Nil when the parts contradict each other, or when to ask it would cost more than it can be worth.
    package init?(bitmap: [UInt8], padding: Int, hashCount: Int) {
        guard (0...7).contains(padding), (0...Self.hashesMax).contains(hashCount) else { return nil }
        guard bitmap.isEmpty ? padding == 0 : hashCount > 0 else { return nil }
        self.bitmap = bitmap
        self.padding = padding
        self.hashCount = hashCount
    }

    /// Empty, with room for `count` names at fewer than one wrong "perhaps" in 100,000. Nil past `namesMax`: such a filter
    /// costs more than it saves.
    package init?(count: Int) {
        guard count <= Self.namesMax else { return nil }
        let bits = count > 0 ? max(count * Self.bitsPerName, Self.bitsMin) : 0
        let bytes = (bits + 7) / 8
        self.init(bitmap: Array(repeating: 0, count: bytes), padding: bytes * 8 - bits, hashCount: Self.hashes)
    }

    private static let bitsPerName = 30
    private static let hashes = 16
    private static let hashesMax = 100
    /// A prime: among few bits, or when the step divides their number, a name's bits would fall together.
    private static let bitsMin = 1021
    /// 750,000 bytes.
    package static let namesMax = 200_000

    /// `name` in full, from `projects/` on.
    package mutating func insert(_ name: [UInt8]) {
        guard self.bitCount > 0 else { return }
        let digest = MD5(name)
        for index in 0..<self.hashCount {
            let bit = self.bit(index, digest)
            self.bitmap[bit / 8] |= 1 << UInt8(bit % 8)
        }
    }

    package func mayContain(_ name: [UInt8]) -> Bool {
        guard self.bitCount > 0 else { return false }
        let digest = MD5(name)
        return (0..<self.hashCount).allSatisfy { index in
            let bit = self.bit(index, digest)
            return self.bitmap[bit / 8] & 1 << UInt8(bit % 8) != 0
        }
    }

    private func bit(_ index: Int, _ digest: MD5) -> Int {
        Int((digest.low &+ UInt64(index) &* digest.high) % UInt64(self.bitCount))
    }
}
