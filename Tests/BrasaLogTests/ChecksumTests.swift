import CBrasaChecksum
import Testing

@Suite struct ChecksumTests {
    /// RFC 3720, B.4, and the usual check value.
    static let vectors: [([UInt8], UInt32)] = [
        ([UInt8](repeating: 0, count: 32), 0x8a91_36aa),
        ([UInt8](repeating: 0xff, count: 32), 0x62a8_ab43),
        (Array(0..<32), 0x46dd_794e),
        (Array((0..<32).reversed()), 0x113f_db5c),
        (
            [
                0x01, 0xc0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x14, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0x14, 0, 0, 0,
                0x18,
                0x28, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0,
            ], 0xd996_3a56
        ),
        (Array("123456789".utf8), 0xe306_9283),
        ([], 0),
    ]

    @Test(arguments: Self.vectors) func knownBytesHaveTheirChecksum(_ bytes: [UInt8], _ expected: UInt32) {
        #expect(cbrasa_crc32c(0, bytes, bytes.count) == expected)
    }

    @Test(arguments: Self.vectors) func everySplitGivesTheSame(_ bytes: [UInt8], _ expected: UInt32) {
        for split in 0...bytes.count {
            let head = cbrasa_crc32c(0, Array(bytes[..<split]), split)
            #expect(cbrasa_crc32c(head, Array(bytes[split...]), bytes.count - split) == expected)
        }
    }
}
