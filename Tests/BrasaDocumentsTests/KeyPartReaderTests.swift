import BrasaDocuments
import Testing

@Suite struct KeyPartReaderTests {
    @Test func findsTheEndsOfPartsInBothDirections() throws {
        var generator = ValueGenerator(seed: 11)
        for _ in 0..<500 {
            let values = (0..<4).map { _ in generator.value() }
            let path = try ResourcePath(parsing: "a/__id-7__/b\u{0}/c".utf8)
            for isDescending in [false, true] {
                var key = OrderPreservingKey()
                var ends: [Int] = []
                for part in values.map({ OrderPreservingKey($0) }) + [OrderPreservingKey(path)] {
                    if isDescending { key.appendDescending(part) } else { key.append(part: part) }
                    ends.append(key.bytes.count)
                }
                key.bytes.withUnsafeBytes { bytes in
                    var reader = KeyPartReader(bytes)
                    let found = values.map { _ in reader.value(isDescending: isDescending)?.upperBound }
                    #expect(found + [reader.path(isDescending: isDescending)?.upperBound] == ends)
                }
            }
        }
    }

    @Test func endsOnBytesThatAreNoKeys() {
        var generator = ValueGenerator(seed: 12)
        for _ in 0..<300 {
            var bytes = OrderPreservingKey(generator.value()).bytes
            for end in 0..<bytes.count {
                bytes[..<end].withUnsafeBytes { cut in
                    var reader = KeyPartReader(cut)
                    #expect(reader.value() == nil)
                }
            }
            for index in bytes.indices {
                bytes[index] ^= 0x55
                bytes.withUnsafeBytes { mutated in
                    var reader = KeyPartReader(mutated)
                    while let part = reader.value() { #expect(part.upperBound <= mutated.count) }
                }
            }
        }
    }
}
