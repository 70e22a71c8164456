/// Cyclic redundancy checks of 32 bits, reflected.
enum CyclicCheck {
    static let crc32Table = table(0xEDB8_8320)
    static let crc32cTable = table(0x82F6_3B78)

    private static func table(_ polynomial: UInt32) -> [UInt32] {
        (0..<256 as Range<UInt32>).map { byte in
            (0..<8).reduce(byte) { sum, _ in sum & 1 == 1 ? sum >> 1 ^ polynomial : sum >> 1 }
        }
    }

    /// Four bytes, the least significant first.
    static func bytes(_ bytes: [UInt8], _ table: [UInt32]) -> [UInt8] {
        let sum = ~bytes.reduce(UInt32.max) { $0 >> 8 ^ table[Int(($0 ^ UInt32($1)) & 0xFF)] }
        return (0..<4 as Range<UInt32>).map { UInt8(truncatingIfNeeded: sum >> ($0 * 8)) }
    }
}
