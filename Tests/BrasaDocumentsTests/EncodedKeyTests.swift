import BrasaDocuments
import BrasaQueryModel
import Testing

@Suite struct EncodedKeyTests {
    @Test(arguments: 0..<20 as Range<UInt64>)
    func keysOfEncodedValuesAreThoseOfDecodedOnes(seed: UInt64) {
        var generator = ValueGenerator(seed: seed)
        for _ in 0..<300 {
            let value = generator.value()
            var key = OrderPreservingKey()
            let isAppended = value.encoded().withUnsafeBytes { key.append(encoded: $0) }
            #expect(isAppended)
            #expect(key == OrderPreservingKey(value))
        }
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func keysOfFieldsAndElementsAreThoseOfTheirValues(seed: UInt64) {
        var generator = ValueGenerator(seed: seed)
        for _ in 0..<100 {
            let fields = EncodedFields(encoding: generator.entries())
            for name in ["a", "b", "aa", "a.b", "`a.b`", "a.a", "nothing"] {
                let path = field(name)
                let value = fields.value(at: path)
                for isDescending in [false, true] {
                    var key = OrderPreservingKey(.null)
                    #expect(key.append(fields, at: path, isDescending: isDescending) == (value != nil))
                    var expected = OrderPreservingKey(.null)
                    if let value, isDescending { expected.appendDescending(OrderPreservingKey(value)) }
                    if let value, !isDescending { expected.append(value) }
                    #expect(key == expected)
                }
                var elements: Set<OrderPreservingKey> = []
                var count = 0
                if case .array(let values) = value {
                    elements = Set(values.map { OrderPreservingKey($0) })
                    count = values.count
                }
                #expect(fields.elementKeys(at: path, limit: count) == elements.sorted())
                if count > 0 { #expect(fields.elementKeys(at: path, limit: count - 1) == nil) }
            }
        }
    }

    @Test func partsOfAPathAreWrittenAsInTheWhole() {
        for text in ["a/b", "a/__id7__", "a/b/c/d", "a/__id-1__/c/__id9__", "__id/a/b/c/d/e"] {
            let whole = path(text)
            var parts = OrderPreservingKey()
            parts.appendParentOfCollection(of: whole)
            let parent = whole.parent?.parent ?? .root
            #expect(parts == OrderPreservingKey(parent))
            var name = OrderPreservingKey()
            name.appendID(of: whole)
            let collection = OrderPreservingKey(whole.parent ?? .root).bytes.dropLast()
            #expect(OrderPreservingKey(whole).bytes == collection + name.bytes + [0])
        }
    }

    @Test func anyBytesMakeAKeyOrNone() {
        var random = SeededRandom(seed: 5)
        for _ in 0..<20_000 {
            let bytes = (0..<random.below(24)).map { _ in UInt8(random.below(random.chance(2) ? 256 : 24)) }
            var key = OrderPreservingKey(.null)
            let isAppended = bytes.withUnsafeBytes { key.append(encoded: $0) }
            if !isAppended { #expect(key == OrderPreservingKey(.null)) }
            _ = key.append(EncodedFields(canonical: ByteString(bytes)), at: field("a"))
            _ = EncodedFields(canonical: ByteString(bytes)).elementKeys(at: field("a"), limit: 3)
        }
    }
}
