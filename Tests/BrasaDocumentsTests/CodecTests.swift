import BrasaBytes
import BrasaQueryModel
import Testing

@testable import BrasaDocuments

struct CodecTests {
    @Test func `The writer grows from any capacity and reads back`() throws {
        for capacity in [0, 1, 7, 64] {
            for number in [0, 1, 127, 128, 16_383, 16_384, 1 << 35, .max] as [UInt64] {
                var writer = BackwardWriter(capacity: capacity)
                writer.fixed64(number)
                writer.varint(number)
                writer.tag(17, 0)
                let bytes = writer.finish()
                #expect(Array(bytes.dropLast(8).dropFirst(2)) == Wire.varint(number))
                let fields = try bytes.withUnsafeBytes { memory in
                    var reader = WireReader(memory)
                    return (
                        try reader.tag(), try reader.varint(), try reader.fixed64(), reader.isAtEnd, reader.isMinimal
                    )
                }
                #expect(fields == (WireReader.Tag(field: 17, type: 0), number, number, true, true))
            }
        }
    }

    @Test func `UTF-8 is checked as the standard library does`() {
        for seed in 0..<5_000 as Range<UInt64> {
            var random = SeededRandom(seed: seed)
            let alphabet: [UInt8] = [
                0, 0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1, 0xED, 0xEF, 0xF0,
                0xF1, 0xF3,
                0xF4, 0xF5, 0xFF,
            ]
            let bytes = (0..<random.below(12)).map { _ in random.chance(3) ? 0x61 : random.pick(alphabet) }
            let expected = String(validating: bytes, as: UTF8.self) != nil
            #expect(bytes.withUnsafeBytes(UTF8Validation.isValid) == expected, "seed \(seed)")
        }
    }

    @Test func `Runs compare as their bytes do, at every length`() {
        for seed in 0..<2_000 as Range<UInt64> {
            var random = SeededRandom(seed: seed)
            let left = (0..<random.below(20)).map { _ in random.pick([0, 1, 0xFF] as [UInt8]) }
            var right = left
            if !right.isEmpty, random.chance(2) { right[random.below(right.count)] = random.pick([0, 1, 0xFF]) }
            if random.chance(3) { right.append(0) }
            let expected: Ordering =
                left.lexicographicallyPrecedes(right) ? .ascending : left == right ? .same : .descending
            #expect(ByteOrder.compare(left, right) == expected, "seed \(seed)")
            #expect(ByteOrder.equal(left, right) == (expected == .same), "seed \(seed)")
        }
    }

    @Test func `A list of operands may hold what no document's array may`() throws {
        let lists: [Value] = [
            .array([.array([.integer(1)]), .vector([1, 2]), .null]),
            .array([]), .integer(1), .map([]),
        ]
        for list in lists { #expect(try Value(decodingList: list.encoded()) == list) }
        #expect(throws: DocumentError(.nestedArrays)) {
            try Value(decoding: Value.array([.array([])]).encoded())
        }
        #expect(throws: DocumentError(.nestedArrays)) {
            try Value(decodingList: Value.array([.array([.array([])])]).encoded())
        }
        #expect(throws: DocumentError(.malformedMessage)) { try Value(decodingList: [0x4A, 0x05, 0x0A] as [UInt8]) }
    }
}
