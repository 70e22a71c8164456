import BrasaDocuments
import BrasaSimulation
import Testing

@testable import BrasaStore

@Suite struct SmallestEntriesTests {
    @Test(arguments: [(1, 1_000), (3, 1_000), (50, 12), (50, 1_000)])
    func keepsTheSmallestWithoutGaps(countMax: Int, keyBytesMax: Int) throws {
        var random = SeededRandom(seed: UInt64(countMax))
        let document = Document(
            fields: .empty,
            createTime: Timestamp(microseconds: 1),
            updateTime: Timestamp(microseconds: 1)
        )
        for _ in 0..<200 {
            var smallest = SmallestEntries(countMax: countMax, keyBytesMax: keyBytesMax)
            var texts: [String] = []
            for number in 0..<Int.random(in: 0..<30, using: &random) {
                let text = String(repeating: "x", count: Int.random(in: 0..<5, using: &random)) + "\(number)"
                texts.append(text)
                let key = OrderPreservingKey(.string(UTF8Text(text)))
                smallest.offer(.init(key: key, path: try path("c/\(number)"), document: document))
            }
            let isPartial = smallest.ceiling != nil
            let kept = smallest.removeAll().map(\.key)
            let all = texts.map { OrderPreservingKey(.string(UTF8Text($0))) }.sorted()
            #expect(kept == Array(all.prefix(kept.count)))
            #expect(isPartial == (kept.count < all.count))
            #expect(kept.count <= countMax && (all.isEmpty || !kept.isEmpty))
        }
    }
}
