import BrasaDocuments
import BrasaQueries
import BrasaSimulation
import Testing

@testable import BrasaStore

/// Keys that ended, against a list of them.
@Suite struct SupersededKeysTests {
    @Test(arguments: IndexTreeTests.Keys.allCases.filter { $0 != .long && $0 != .mixed }, 0..<4 as Range<UInt64>)
    func showsEachTimeWhatEndedAfterIt(keys: IndexTreeTests.Keys, seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let chain = DocumentChain(
            path: try path("a/b"),
            version: DocumentChain.Version(fields: .empty, createTime: 1, time: 1)
        )
        let superseded = SupersededKeys()
        var model: [(key: [UInt8], endTime: Int64)] = []
        var (time, oldest) = (Int64(0), 0)
        for phase in 0..<4 {
            for _ in 0..<1_500 {
                if random.chance(phase % 2 == 0 ? 8 : 2, in: 10) {
                    time += 1
                    // As keys of an index: each ends by itself.
                    let key = Self.terminated(keys.make(&random))
                    superseded.insert(key, of: chain, endTime: time)
                    model.append((key, time))
                } else if !model.isEmpty {
                    // Mostly the oldest goes, as by pruning, now and then the newest, as of a commit that is taken back.
                    let (key, endTime) = random.chance(9, in: 10) ? model.removeFirst() : model.removeLast()
                    #expect(superseded.remove(key, endTime: endTime))
                    #expect(!superseded.remove(key, endTime: endTime))
                }
            }
            superseded.tree.checkInvariants()
            oldest = Int(model.first?.endTime ?? time)
            for _ in 0..<20 {
                let since = Int64.random(in: Int64(oldest - 1)...time, using: &random)
                let expected = model.filter { $0.endTime > since }
                    .sorted { ($0.key, UInt64($0.endTime)) < ($1.key, UInt64($1.endTime)) }
                    .map(\.key)
                var found: [[UInt8]] = []
                if var cursor = superseded.cursor(.start, at: since) {
                    while let entry = cursor.next() { found.append(SupersededKeys.key(entry)) }
                    #expect(cursor.next() == nil)
                    for key in found.reversed() { #expect(cursor.previous().map(SupersededKeys.key) == key) }
                    #expect(cursor.previous() == nil)
                }
                #expect(found == expected)
                #expect(superseded.hasEnds(after: since) == !expected.isEmpty)
            }
        }
        while let (key, endTime) = model.popLast() { #expect(superseded.remove(key, endTime: endTime)) }
        #expect(superseded.tree.count == 0 && superseded.tree.root.isLeaf && !superseded.hasEnds(after: .min))
    }

    @Test(arguments: 0..<4 as Range<UInt64>)
    func inAnyOrderItKnowsWhenWhatIsBelowEachNodeEnded(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let chain = DocumentChain(
            path: try path("a/b"),
            version: DocumentChain.Version(fields: .empty, createTime: 1, time: 1)
        )
        let superseded = SupersededKeys()
        var model: [(key: [UInt8], endTime: Int64)] = []
        for time in 1...20_000 as ClosedRange<Int64> {
            let key = withUnsafeBytes(of: random.next()) { Array($0) }
            superseded.insert(key, of: chain, endTime: time)
            model.append((key, time))
            if random.chance(1, in: 10) {
                let (key, endTime) = model.remove(at: Int.random(in: 0..<model.count, using: &random))
                #expect(superseded.remove(key, endTime: endTime))
            }
            if time % 2_000 == 0 { superseded.tree.checkInvariants() }
        }
        for since in [0, 9_000, 19_990] as [Int64] {
            let count = model.count { $0.endTime > since }
            var (cursor, ascending, descending) = (superseded.cursor(.start, at: since), 0, 0)
            while cursor?.next() != nil { ascending += 1 }
            while cursor?.previous() != nil { descending += 1 }
            #expect(ascending == count && descending == count)
        }
    }

    /// Escapes zeros and ends with two, so that no key is the beginning of another.
    private static func terminated(_ key: [UInt8]) -> [UInt8] {
        key.flatMap { $0 == 0 ? [0, 0xFF] : [$0] } + [0, 0]
    }
}

private func < (left: ([UInt8], UInt64), right: ([UInt8], UInt64)) -> Bool {
    left.0 == right.0 ? left.1 < right.1 : left.0.lexicographicallyPrecedes(right.0)
}
