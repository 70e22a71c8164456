import BrasaDocuments
import BrasaQueries
import BrasaSimulation
import Testing

@testable import BrasaStore

/// What a store keeps in memory is counted, and bounded.
@Suite struct MemoryBoundTests {
    private static let bytesMax = 200_000
    private static let text = String(repeating: "x", count: 1_000)
    private let fixture: StoreFixture
    private let database: DatabaseHandle

    init() throws {
        self.fixture = try StoreFixture {
            $0.memoryBytesMax = Self.bytesMax
            $0.memoryBytesReserved = 50_000
            $0.historyMin = .zero
        }
        self.database = self.fixture.store.database(try databaseName())
    }

    private var store: Store { self.fixture.store }

    /// Nil: the commit was made.
    private func refusal(of writes: [(String, String?)]) throws -> StoreError.Code? {
        do {
            try self.fixture.commit(self.database, writes)
            return nil
        } catch let error as StoreError {
            return error.code
        }
    }

    /// Sets documents until one is refused; how many there are then.
    private func fill() throws -> Int {
        for number in 0..<10_000 {
            guard let refusal = try self.refusal(of: [("a/\(number)", Self.text)]) else { continue }
            #expect(refusal == .memoryFull(bytesMax: Self.bytesMax))
            return number
        }
        return 0
    }

    private func maintain() {
        self.fixture.clock.advance(microseconds: 10)
        while self.store.maintain() {}
    }

    @Test func `What would exceed the bound is refused whole, and what is there can be read and deleted`() throws {
        let count = try self.fill()
        #expect(count > 100)
        #expect(self.store.isMemoryFull && self.store.statistics.isMemoryFull)
        #expect(self.store.memory.bytes <= Self.bytesMax && self.store.memory.bytes > Self.bytesMax - 2_000)
        #expect(self.store.memory.reserved == 50_000)
        // Nothing of a commit of several writes, whichever of them is too much.
        let statistics = self.store.statistics
        #expect(try self.refusal(of: [("b/1", "y"), ("a/0", nil)]) == .memoryFull(bytesMax: Self.bytesMax))
        #expect(self.store.statistics.memory == statistics.memory)
        #expect(self.store.latest(try path("b/1"), in: self.database) == nil)
        #expect(try self.store.text("a/0", in: self.database) == Self.text)
        // Nor comes anything later.
        try self.fixture.restart()
        #expect(try self.fixture.store.names(range("", "b"), in: self.fixture.store.database(databaseName())) == [])
    }

    @Test func `Deletes are taken at the bound, and writes when they have made room, not before it is worth it`() throws
    {
        let count = try self.fill()
        var deleted = 0
        while try self.refusal(of: [("b/1", "y")]) != nil {
            #expect(self.store.isMemoryFull)
            #expect(try self.refusal(of: [("a/\(deleted)", nil)]) == nil)
            deleted += 1
            self.maintain()
        }
        // A thirty-second of what is not reserved.
        #expect(deleted >= 3 && deleted < 10)
        #expect(!self.store.isMemoryFull && self.store.memory.bytes <= Self.bytesMax - 150_000 / 32 + 1_000)
        #expect(try self.store.names(range("", "a"), in: self.database).count == count - deleted)
        // From there to the bound again without a refusal.
        #expect(try self.refusal(of: [("b/2", Self.text)]) == nil)
    }

    /// Below where commits are taken again, and above it.
    @Test(arguments: [190_000, 196_000])
    func `A commit for which there is no room does not close the door to smaller ones`(filled: Int) throws {
        while self.store.memory.bytes < filled {
            try self.fixture.commit(self.database, [("a/\(self.store.statistics.documents)", Self.text)])
        }
        let large = String(repeating: "x", count: 12_000)
        #expect(try self.refusal(of: [("b/1", large)]) == .memoryFull(bytesMax: Self.bytesMax))
        #expect(!self.store.isMemoryFull)
        #expect(try self.refusal(of: [("b/1", Self.text)]) == nil)
    }

    @Test func `Old versions go before a write is refused`() throws {
        for number in 0..<2_000 {
            try self.fixture.commit(self.database, [("a/\(number % 20)", Self.text)])
            self.maintain()
        }
        #expect(self.store.statistics.documents == 20 && self.store.memory.bytes <= Self.bytesMax)
    }

    @Test func `Without a bound nothing is refused, and history is as long as it is asked for`() throws {
        let fixture = try StoreFixture { $0.memoryBytesReserved = 1 << 40 }
        let database = fixture.store.database(try databaseName())
        for number in 0..<500 { try fixture.commit(database, [("a/\(number % 2)", Self.text)]) }
        while fixture.store.maintain() {}
        #expect(fixture.store.statistics.supersededVersions == 498 && !fixture.store.isMemoryFull)
    }

    @Test func `A bound that is raised lets commits go on, and one that is lowered refuses the next`() throws {
        let count = try self.fill()
        self.store.setMemoryBytesMax(2 * Self.bytesMax)
        #expect(!self.store.isMemoryFull && self.store.statistics.memoryBytesMax == 2 * Self.bytesMax)
        for number in 0..<count / 2 { #expect(try self.refusal(of: [("b/\(number)", Self.text)]) == nil) }
        self.store.setMemoryBytesMax(Self.bytesMax)
        #expect(try self.refusal(of: [("c/1", "y")]) == .memoryFull(bytesMax: Self.bytesMax))
        #expect(self.store.isMemoryFull && self.store.statistics.documents == count + count / 2)
        #expect(try self.refusal(of: [("b/0", nil)]) == nil)
        self.store.setMemoryBytesMax(nil)
        #expect(try self.refusal(of: [("c/1", "y")]) == nil)
        #expect(!self.store.isMemoryFull && self.store.statistics.memoryBytesMax == nil)
    }

    @Test func `A start counts what it finds, and takes it, however low the bound is`() throws {
        let count = try self.fill()
        let memory = self.store.memory
        self.fixture.configuration.memoryBytesMax = 100_000
        try self.fixture.restart()
        let database = self.store.database(try databaseName())
        #expect(self.store.memory.documents == memory.documents && self.store.statistics.documents == count)
        try self.store.checkpoint()
        try self.fixture.restart()
        #expect(self.store.memory.documents == memory.documents && self.store.memory.history == 0)
        #expect(throws: StoreError.self) { try self.fixture.commit(database, [("b/1", "y")]) }
    }

    @Test func `The keys of an index that ended count once, as history`() throws {
        let fixture = try StoreFixture {
            $0.memoryBytesMax = 16 << 20
            $0.history = .seconds(60)
            $0.indexIdle = .seconds(1_000)
        }
        let store = fixture.store
        let database = store.database(try databaseName())
        func write(_ value: Int64) throws {
            let fields = EncodedFields(encoding: [Value.MapEntry(key: "x", value: .integer(value))])
            for number in 0..<200 {
                let outcome = DocumentChange.Outcome.set(fields, createTime: nil)
                try fixture.commit([DocumentChange(database: database, path: path("a/\(number)"), outcome: outcome)])
            }
        }
        let kept = { store.indexes().reduce(0) { $0 + $1.bytes } }
        try write(1)
        try write(2)
        let before = store.memory
        let definition = IndexDefinition(
            collectionID: "a",
            scope: .collection,
            parts: [IndexDefinition.Part(try FieldPath(parsing: "x".utf8), .ascending)]
        )
        store.requestIndex(definition, in: database)
        while store.indexStep() {}
        let ended = store.memory.history - before.history
        #expect(ended > 200 * 16)
        #expect(store.memory.indexes == kept() - ended)
        #expect(store.memory.bytes - before.bytes == kept())

        // Neither when they go one by one, nor when the index goes, is anything left over.
        fixture.wait(.seconds(120))
        _ = store.strongReadTime()
        while store.maintain() {}
        #expect(store.memory.history == 0 && store.memory.indexes == kept())
        try write(3)
        fixture.wait(.seconds(2_000))
        while store.indexStep() {}
        #expect(store.indexes().isEmpty && store.memory.indexes == 0)
        _ = store.strongReadTime()
        while store.maintain() {}
        #expect(store.memory.history == 0)
    }

    @Test func `An index waits for room, and a dropped one gives its own back`() throws {
        let fixture = try StoreFixture {
            $0.memoryBytesMax = 1 << 20
            $0.indexIdle = .seconds(10)
        }
        let database = fixture.store.database(try databaseName())
        let value = EncodedFields(encoding: [Value.MapEntry(key: "x", value: .string("y"))])
        for number in 0..<200 {
            try fixture.commit([
                DocumentChange(
                    database: database,
                    path: path("a/\(number)"),
                    outcome: .set(value, createTime: nil)
                )
            ])
        }
        let definition = IndexDefinition(
            collectionID: "a",
            scope: .collection,
            parts: [IndexDefinition.Part(try FieldPath(parsing: "x".utf8), .ascending)]
        )
        fixture.store.requestIndex(definition, in: database)
        while fixture.store.indexStep() {}
        #expect(fixture.store.memory.indexes > 0)
        #expect(fixture.store.memory.indexes == fixture.store.indexes().reduce(0) { $0 + $1.bytes })
        fixture.clock.advance(microseconds: 20_000_000)
        while fixture.store.indexStep() {}
        #expect(fixture.store.indexes().isEmpty && fixture.store.memory.indexes == 0)

        while fixture.store.memory.bytes <= (1 << 20) - (1 << 15) {
            try fixture.commit(database, [("b/\(fixture.store.statistics.documents)", Self.text)])
        }
        fixture.store.requestIndex(definition, in: database)
        #expect(!fixture.store.indexStep() && fixture.store.indexes().isEmpty)
    }
}
