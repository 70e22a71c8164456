import BrasaBytes
import Testing

@Suite struct VarintTests {
    /// Numbers at every border of a length, and what they are on the wire.
    private static let vectors: [(UInt64, [UInt8])] = [
        (0, [0]), (1, [1]), (127, [0x7F]), (128, [0x80, 1]), (300, [0xAC, 2]), (16_383, [0xFF, 0x7F]),
        (16_384, [0x80, 0x80, 1]), (1 << 63, [0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 1]),
        (.max, [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 1]),
    ]

    private func read(_ bytes: [UInt8], end: Int? = nil) -> (reading: Varint.Reading?, position: Int) {
        bytes.withUnsafeBytes { memory in
            var position = 0
            let reading = Varint.read(memory, at: &position, end: end ?? memory.count)
            return (reading, position)
        }
    }

    @Test(arguments: Self.vectors)
    func `Numbers are written as short as can be, and read back`(_ number: UInt64, _ bytes: [UInt8]) throws {
        var appended: [UInt8] = [9]
        Varint.append(number, to: &appended)
        #expect(appended == [9] + bytes)
        var written = [UInt8](repeating: 0, count: bytes.count + 1)
        var end = 1
        written.withUnsafeMutableBytes { Varint.write(number, to: $0, at: &end) }
        #expect(written == [0] + bytes && end == bytes.count + 1)
        #expect(Varint.size(number) == bytes.count)
        let (reading, position) = self.read(bytes + [0xFF])
        #expect(try #require(reading) == (number, true))
        #expect(position == bytes.count)
    }

    @Test func `The size of any number is what it takes`() {
        for bits in 0..<64 {
            for number in [1 << bits, (1 << bits) - 1, (1 << bits) | 1] as [UInt64] {
                var bytes: [UInt8] = []
                Varint.append(number, to: &bytes)
                #expect(Varint.size(number) == bytes.count)
            }
        }
    }

    @Test(
        arguments: [
            ([0x80, 0], 0), ([0x81, 0x80, 0], 1),
            ([0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F], .max),
            ([0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 2], 0),
        ] as [([UInt8], UInt64)]
    )
    func `What is longer than it has to be is read, and said to be so`(_ bytes: [UInt8], _ number: UInt64) throws {
        #expect(try #require(self.read(bytes).reading) == (number, false))
    }

    @Test func `What is cut short, or has more than ten bytes, is no number`() {
        for (_, bytes) in Self.vectors {
            for end in 0..<bytes.count { #expect(self.read(bytes, end: end).reading == nil) }
        }
        #expect(self.read([UInt8](repeating: 0x80, count: 10) + [1]).reading == nil)
        #expect(self.read([UInt8](repeating: 0xFF, count: 11)).reading == nil)
    }
}
