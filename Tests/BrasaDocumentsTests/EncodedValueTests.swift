import BrasaDocuments
import BrasaQueryModel
import Testing

struct EncodedValueTests {
    @Test(arguments: 1...4 as ClosedRange<UInt64>)
    func `An encoded value compares as the decoded one does`(seed: UInt64) {
        var generator = ValueGenerator(seed: seed)
        for _ in 0..<2_000 {
            let left = generator.value()
            let right = generator.random.chance(4) ? left : generator.value()
            let encoded = EncodedValue(canonical: BytePart(left.encoded()))
            #expect(encoded.compare(to: right) == Value.compare(left, right), "seed \(seed): \(left), \(right)")
            #expect(encoded.tag == OrderPreservingKey(left).bytes.first)
            #expect(left.tag == encoded.tag)
            #expect(encoded.decoded == left)
        }
    }

    @Test func `Elements are found wherever the value's bytes begin`() {
        let bytes: [UInt8] = [1, 2, 3] + Value.array([.integer(1), .string("x"), .null]).encoded()
        let array = EncodedValue(canonical: BytePart(ByteString(bytes), 3..<bytes.count))
        for value in [Value.double(1), .string("x"), .null] {
            #expect(array.hasElement { $0.compare(to: value) == .same })
        }
        #expect(!array.hasElement { $0.compare(to: .string("y")) == .same })
        #expect(!EncodedValue(canonical: BytePart(Value.map([]).encoded())).hasElement { _ in true })
    }

    @Test(arguments: 1...2 as ClosedRange<UInt64>)
    func `A vector's components are read in place as they are decoded`(seed: UInt64) {
        var generator = ValueGenerator(seed: seed)
        var components: [Double] = [7]
        let mixed = Value.map([
            .init(key: "__type__", value: .string("__vector__")),
            .init(
                key: "value",
                value: .array([.double(1.5), .integer(-3), .double(0), .double(-0.0), .integer(.max)])
            ),
        ])
        let values = (0..<2_000).map { _ in generator.value() } + [.vector([]), .vector([1, -2.5, .infinity]), mixed]
        for value in values {
            let isVector = EncodedValue(canonical: BytePart(value.encoded())).readVector(into: &components)
            #expect(isVector == (value.vectorComponents != nil), "\(value)")
            #expect(components.map(\.bitPattern) == (value.vectorComponents ?? []).map(\.bitPattern))
        }
    }

    @Test func `Bytes that are cut short are no vector, or a shorter one`() {
        let bytes = Value.vector([1, 2, 3]).encoded()
        var components: [Double] = []
        for end in bytes.indices {
            let isVector = EncodedValue(canonical: BytePart(ByteString(bytes), 0..<end)).readVector(into: &components)
            #expect(components.count <= 3 && (isVector || components.isEmpty))
            for index in bytes[..<end].indices {
                var damaged = bytes
                damaged[index] ^= UInt8(truncatingIfNeeded: 0x15 + end)
                _ = EncodedValue(canonical: BytePart(damaged)).readVector(into: &components)
            }
        }
    }

    @Test func `Bytes that are no value are null`() {
        for bytes in [[], [0xFF], [0x4A, 0x05, 0x0A]] as [[UInt8]] {
            let value = EncodedValue(canonical: BytePart(bytes))
            #expect(value.compare(to: .null) == .same && value.tag == Value.null.tag)
            #expect(!value.hasElement { _ in true })
        }
    }
}
