import BrasaDocuments
import BrasaQueries
import Synchronization
import Testing

@testable import BrasaStore

/// What a visit of pruning to a database's order does, and how much of it.
@Suite struct PruningTests {
    private let fixture: IndexFixture
    private let tags: IndexDefinition

    init() throws {
        self.fixture = try IndexFixture(documents: 0)
        self.tags = try self.fixture.definition("tags", .contains)
    }

    private func version(_ tags: Range<Int64>, counter: Int64, time: Int64) -> DocumentChain.Version {
        let fields = EncodedFields(encoding: [
            Value.MapEntry(key: "counter", value: .integer(counter)),
            Value.MapEntry(key: "tags", value: .array(tags.map { .integer($0) })),
        ])
        return DocumentChain.Version(fields: fields, createTime: 1, time: time)
    }

    /// How many keys are looked for.
    private func ended(_ version: DocumentChain.Version, _ successor: DocumentChain.Version) throws -> Int {
        self.tags.endedKeys(of: version, before: successor, try path("c/1")).count
    }

    @Test func noKeyIsLookedForWhereTheNextVersionHasTheSameValues() throws {
        let first = self.version(0..<10_000, counter: 1, time: 1)
        #expect(try self.ended(first, self.version(0..<10_000, counter: 2, time: 2)) == 0)
    }

    @Test func onlyKeysThatEndedAreLookedFor() throws {
        let first = self.version(0..<1_000, counter: 1, time: 1)
        #expect(try self.ended(first, self.version(3..<1_010, counter: 1, time: 2)) == 3)
        #expect(try self.ended(first, self.version(0..<1_010, counter: 1, time: 2)) == 0)
        let deletion = DocumentChain.Version(fields: nil, createTime: 2, time: 2)
        #expect(try self.ended(first, deletion) == 1_000)
        #expect(try self.ended(deletion, first) == 0)
    }

    @Test func theFewKeysOfASmallVersionAreLookedForRatherThanThoseOfALargeOneMade() throws {
        let small = self.version(0..<2, counter: 1, time: 1)
        #expect(try self.ended(small, self.version(0..<10_000, counter: 1, time: 2)) == 2)
        // One that has more than an index takes is never there, or the index would not be.
        let few = self.version(0..<30_000, counter: 1, time: 1)
        #expect(try self.ended(few, self.version(0..<40_001, counter: 1, time: 2)) == 30_000)
    }

    @Test func whatWasKeptOfVersionsGoesWithThem() throws {
        let (store, database) = (self.fixture.store, self.fixture.database)
        func commit(_ tags: Range<Int64>, counter: Int64) throws {
            let fields = try #require(self.version(tags, counter: counter, time: 0).fields)
            let change = DocumentChange(
                database: database,
                path: try path("c/1"),
                outcome: .set(fields, createTime: nil)
            )
            try self.fixture.fixture.commit([change])
        }
        try commit(0..<10, counter: 0)
        try commit(0..<20, counter: 0)
        store.requestIndex(self.tags, in: database)
        self.fixture.buildAll()
        try commit(5..<20, counter: 0)
        try commit(5..<20, counter: 1)
        try commit(0..<300, counter: 1)
        try commit(0..<10, counter: 1)
        func supersededKeys() -> [Int] { database.order.withLock { $0.indexes.map(\.superseded.tree.count) } }
        #expect(supersededKeys() == [5 + 290])
        self.fixture.wait(2 * 3600)
        while store.maintain() {}
        #expect(supersededKeys() == [0] && store.statistics.historyBytes == 0)
    }

    /// How many items of these bytes each run takes.
    private func runs(_ bytes: [Int]) throws -> [Int] {
        let document = try path("c/1")
        let items = bytes.map { GarbageQueue.Item(time: 1, path: document, bytes: $0) }
        var (rest, counts): (ArraySlice<GarbageQueue.Item>, [Int]) = (items[...], [])
        while !rest.isEmpty {
            let run = rest.orderRun
            counts.append(run.count)
            rest = rest.dropFirst(run.count)
        }
        return counts
    }

    @Test func aRunEndsByTheNumberOfItsItemsAndByTheirBytes() throws {
        let max = ArraySlice<GarbageQueue.Item>.orderRunBytesMax
        #expect(try self.runs([]) == [])
        #expect(try self.runs(Array(repeating: 100, count: 150)) == [64, 64, 22])
        #expect(try self.runs(Array(repeating: max / 4, count: 9)) == [4, 4, 1])
        #expect(try self.runs([100, 1 << 20, 1 << 20, 100, 100]) == [1, 1, 1, 2])
        #expect(try self.runs([max, -1_000, 0, 1]) == [3, 1])
    }
}
