import BrasaDocuments
import BrasaQueryModel
import Testing

struct HostileBytesTests {
    /// Reads the bytes by every door; each must answer, and what is accepted must be canonical.
    private func survive(_ bytes: [UInt8], _ note: String) {
        if let accepted = try? EncodedFields(validating: bytes) {
            #expect((try? accepted.validated()) == accepted, "\(note)")
            #expect(EncodedFields(encoding: accepted.decoded) == accepted, "\(note)")
            #expect(
                accepted.projected(to: accepted.decoded.compactMap { try? FieldPath(names: [$0.key]) }) == accepted,
                "\(note)"
            )
        }
        if let value = try? Value(decoding: bytes) {
            #expect((try? Value(decoding: value.encoded()))?.encoded() == value.encoded(), "\(note)")
        }
        let unchecked = EncodedFields(canonical: ByteString(bytes))
        _ = (unchecked.decoded, unchecked.value(at: field("a.b")), unchecked.storedSize(path: path("c/d")))
        _ = unchecked.projected(to: [field("a.b"), field("z")])
    }

    private func sample(_ seed: UInt64) -> [UInt8] {
        var generator = ValueGenerator(seed: seed)
        return EncodedFields(encoding: generator.entries() + [.init(key: "a", value: map(["b": generator.value()]))])
            .bytes.array
    }

    @Test func `Every truncation is answered`() {
        for seed in 0..<60 as Range<UInt64> {
            let bytes = self.sample(seed)
            for end in bytes.indices { self.survive(Array(bytes[..<end]), "seed \(seed) cut at \(end)") }
        }
    }

    @Test func `Changed and random bytes are answered`() {
        for seed in 0..<4_000 as Range<UInt64> {
            var random = SeededRandom(seed: seed)
            var bytes = self.sample(seed % 100)
            for _ in 0...random.below(4) where !bytes.isEmpty {
                let index = random.below(bytes.count)
                switch random.below(4) {
                case 0: bytes[index] = UInt8(truncatingIfNeeded: random.next())
                case 1: bytes.insert(random.pick([0x0A, 0x12, 0x32, 0x4A, 0x80, 0xFF]), at: index)
                case 2: bytes.remove(at: index)
                default: bytes[index] ^= 1 << UInt8(random.below(8))
                }
            }
            self.survive(bytes, "seed \(seed)")
            self.survive(
                (0..<random.below(40)).map { _ in UInt8(truncatingIfNeeded: random.next()) },
                "seed \(seed) random"
            )
        }
    }

    @Test func `Entries in any order with unknown fields between become canonical`() throws {
        for seed in 0..<300 as Range<UInt64> {
            var generator = ValueGenerator(seed: seed)
            let encoded = EncodedFields(encoding: generator.entries() + generator.entries())
            let entries = encoded.decoded.map { Wire.entry($0.key.string, $0.value.encoded()) }.shuffled(
                using: &generator.random
            )
            let noisy = entries.flatMap { $0 + (generator.random.chance(3) ? Wire.text(50, "noise") : []) }
            #expect(try EncodedFields(validating: noisy) == encoded, "seed \(seed)")
        }
    }

    @Test(
        arguments: [
            [0x12, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01], [0xFF], [0x00, 0x00], [0x0B], [0x0C],
            [0x0E, 0x00], [0x0F],
            [0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01], [0x19, 0, 0, 0], [0x1D, 0, 0], [0x08],
        ] as [[UInt8]]
    )
    func `A broken message is refused`(bytes: [UInt8]) {
        #expect(
            refusal { () throws(DocumentError) in try EncodedFields(validating: bytes) }?.reason == .malformedMessage
        )
    }

    @Test func `Random bytes are no name or are one`() {
        for seed in 0..<3_000 as Range<UInt64> {
            var random = SeededRandom(seed: seed)
            var bytes = Array("projects/p/databases/d/documents/c/__id-5__".utf8)
            for _ in 0...random.below(3) { bytes[random.below(bytes.count)] = random.pick(Array("/_.p\u{0}9é".utf8)) }
            if let name = try? DocumentName(parsing: bytes) { #expect(name.bytes == bytes, "seed \(seed)") }
            if let name = try? ParentName(parsing: bytes) { #expect(name.bytes == bytes, "seed \(seed)") }
            if let name = try? DatabaseName(parsing: bytes) { #expect(name.bytes == bytes, "seed \(seed)") }
        }
    }
}
