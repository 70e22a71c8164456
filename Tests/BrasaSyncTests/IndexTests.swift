import BrasaDocuments
import BrasaQueries
import Testing

@testable import BrasaSync
@testable import BrasaSyncSpecification

/// What indexes cost and when there are such. That they find the right documents is shown by the trials.
@Suite struct IndexTests {
    @Test(arguments: 1...25 as ClosedRange<UInt64>)
    func `Indexes find what a look at everything finds`(seed: UInt64) throws {
        let storage = IndexedMemoryStorage()
        var trial = try IndexTrial(seed: seed, limits: IndexTrial.limits(seed)) { storage }
        for _ in 0..<100 { try trial.step() }
        try trial.settle()
        #expect(trial.indexedCount > 0)
        try trial.removeAllIndexes()
        #expect(storage.tables.memoryIndexes.entryCount == 0)
        #expect(storage.tables.memoryIndexes.changeCount == 0)
    }

    // MARK: - What a read costs

    /// 500 documents of a collection `c`, where `n` counts to 50 again and again and `m` is the number.
    private struct Cache {
        let storage = IndexedMemoryStorage()
        let local: LocalStore

        init(indexes: [IndexDefinition] = []) throws {
            self.local = LocalStore(storage: self.storage, user: .signedOut)
            try self.local.setIndexes(indexes)
            try self.bring(0..<500)
            while case .more = try self.local.backfillIndexes() {}
        }

        func bring(_ numbers: Range<Int>, at version: Int64 = 1) throws {
            var documents: DocumentMap = [:]
            for number in numbers {
                let values = ["n": Value.integer(Int64(number % 50)), "m": .integer(Int64(number))]
                var document = try document("c/\(number)", version, values)
                document.readTime = document.version
                documents[document.path] = document
            }
            _ = try self.storage.transaction(.applyRemoteEvent) { tables throws(StorageError) in
                try self.local.store(documents, in: tables)
            }
        }

        func read(_ query: SyncQuery) throws -> (found: Int, read: Int) {
            let before = self.storage.tables.readCount
            let found = try self.local.execute(query, usingPreviousResults: true).documents.count
            return (found, self.storage.tables.readCount - before)
        }

        func definitions() throws -> [String] {
            try self.storage.transaction(.configureIndexes) { tables throws(StorageError) in
                try tables.indexes?.fieldIndexes().map(\.definition.properties) ?? []
            }
        }
    }

    private func definition(_ parts: (String, IndexDefinition.Part.Kind)...) throws -> IndexDefinition {
        IndexDefinition(
            collectionID: "c",
            scope: .collection,
            parts: try parts.map { .init(try field($0.0), $0.1) }
        )
    }

    private func query(_ number: Int64, limit: Int32? = nil) throws -> SyncQuery {
        try collection("c", filter: .field(try field("n"), .equal, .integer(number)), limit: limit)
    }

    @Test func `A query that an index serves reads its results`() throws {
        let cache = try Cache(indexes: [self.definition(("n", .ascending))])
        #expect(try cache.read(self.query(7)) == (10, 10))
        #expect(try cache.read(self.query(7, limit: 3)) == (3, 3))
        let several = StructuredQuery.Filter.field(try field("n"), .in, .array([.integer(1), .integer(2)]))
        #expect(try cache.read(collection("c", filter: several, limit: 2)) == (4, 4))
        // Nothing helps with these.
        #expect(try cache.read(collection("c", filter: .field(try field("m"), .equal, .integer(7)))) == (1, 500))
    }

    @Test func `A limit takes the first or the last of an index`() throws {
        let cache = try Cache(indexes: [self.definition(("m", .ascending))])
        for direction in [StructuredQuery.Order.Direction.ascending, .descending] {
            let order = [StructuredQuery.Order(field: try field("m"), direction: direction)]
            #expect(try cache.read(collection("c", orderBy: order, limit: 5)) == (5, 5))
            #expect(try cache.read(collection("c", orderBy: order, limit: 5, limitType: .last)) == (5, 5))
        }
    }

    @Test func `A limit in the order of names reads no further`() throws {
        let cache = try Cache()
        try cache.bring(0..<2, at: 2)
        #expect(try cache.read(collection("c", limit: 30)) == (30, 30))
        #expect(try cache.read(collection("c", limit: 30, limitType: .last)) == (30, 30))
        let name = try DocumentName(database: SpecModel.database(), path: path("c/499"))
        let bound = StructuredQuery.Filter.field(.documentName, .greaterThanOrEqual, .reference(try #require(name)))
        #expect(try cache.read(collection("c", filter: bound)).read < 100)
        #expect(try cache.read(self.query(7, limit: 1)).read < 100)
    }

    @Test func `What has changed since is looked at as well, until it is in the index`() throws {
        let cache = try Cache(indexes: [self.definition(("n", .ascending))])
        try cache.bring(100..<120, at: 2)
        #expect(try cache.read(self.query(7)) == (10, 29))
        while case .more = try cache.local.backfillIndexes() {}
        #expect(try cache.read(self.query(7)) == (10, 10))
        #expect(cache.storage.tables.memoryIndexes.changeCount <= 1)
    }

    @Test func `An index is filled fifty documents at a time, and read when it is complete`() throws {
        let cache = try Cache()
        try cache.local.setIndexes([self.definition(("n", .ascending))])
        for run in 1...10 {
            #expect(try cache.read(self.query(7)) == (10, 500))
            #expect(try cache.local.backfillIndexes() == .more)
            #expect(cache.storage.tables.memoryIndexes.entryCount == 50 * run)
        }
        #expect(try cache.local.backfillIndexes() == .upToDate)
        #expect(try cache.read(self.query(7)) == (10, 10))
    }

    @Test func `Documents with many entries are taken fewer at a time`() throws {
        let cache = try Cache()
        var documents: DocumentMap = [:]
        for number in 0..<10 {
            let values = ["n": Value.array((0..<400).map { .integer($0) })]
            let document = try document("c/!\(number)", 2, values)
            documents[document.path] = document
        }
        _ = try cache.storage.transaction(.applyRemoteEvent) { tables throws(StorageError) in
            try cache.local.store(documents, in: tables)
        }
        try cache.local.setIndexes([self.definition(("n", .contains))])
        for run in 1...3 {
            #expect(try cache.local.backfillIndexes() == .more)
            #expect(cache.storage.tables.memoryIndexes.entryCount == 1200 * run)
        }
    }

    @Test func `Indexes take turns`() throws {
        let cache = try Cache()
        let other = IndexDefinition(
            collectionID: "c",
            scope: .collectionGroup,
            parts: [.init(try field("n"), .ascending)]
        )
        try cache.local.setIndexes([self.definition(("n", .ascending)), self.definition(("m", .ascending)), other])
        for _ in 0..<3 { _ = try cache.local.backfillIndexes() }
        let stages = try cache.storage.transaction(.configureIndexes) { tables throws(StorageError) in
            try (1...3 as ClosedRange<IndexID>).map { id throws(StorageError) in
                try tables.indexes?.progress(of: id, for: .signedOut)?.stage
            }
        }
        #expect(Set(stages).count == 1)
        #expect(stages[0] != .filling(through: nil))
    }

    // MARK: - Automatic indexes

    @Test func `A query that looks at many documents to find few gets an index when that is wanted`() throws {
        let cache = try Cache()
        _ = try cache.read(self.query(7))
        #expect(try cache.definitions() == [])
        cache.local.createsIndexes = true
        _ = try cache.read(self.query(7))
        #expect(try cache.definitions() == ["(n ASC, __name__ ASC)"])
        while case .more = try cache.local.backfillIndexes() {}
        #expect(try cache.read(self.query(8)) == (10, 10))
        #expect(try cache.definitions().count == 1)
        // It stays and is used when no more are wanted.
        cache.local.createsIndexes = false
        #expect(try cache.read(self.query(8)) == (10, 10))
        try cache.local.setIndexes([])
        #expect(try cache.read(self.query(8)) == (10, 500))
        #expect(try cache.definitions() == [])
    }

    @Test(arguments: [(99, 0, 0), (100, 0, 1), (100, 25, 0), (100, 24, 1), (400, 100, 0), (401, 100, 1)])
    func `It takes a hundred documents read, and four for each that was found`(
        read: Int,
        found: Int,
        count: Int
    ) throws {
        let made = try AutomaticIndexes(indexes: MemoryIndexes(MemoryTables(collector: .leastRecentlyUsed)))
            .make(for: self.query(7), read: read, found: found)
        #expect(made.count == count)
    }

    @Test func `An index is made for each conjunction that has none, if all can have one`() throws {
        let (a, b) = (try field("a"), try field("b"))
        let one = StructuredQuery.Filter.composite(
            .or,
            [
                .field(a, .equal, .integer(1)),
                .composite(.and, [.field(b, .arrayContains, .integer(1)), .field(a, .equal, .integer(2))]),
            ]
        )
        let order = [StructuredQuery.Order(field: try field("z"), direction: .descending)]
        let query = try #require(try collection("c", orderBy: order, filter: one).checked)
        #expect(
            AutomaticIndexes.missing(for: query, [])?.map(\.properties)
                == ["(a ASC, z ASC, __name__ ASC)", "(a ASC, b CONTAINS, z ASC, __name__ ASC)"]
        )
        let known = FieldIndex(id: 1, definition: try self.definition(("a", .ascending), ("z", .ascending)))
        #expect(AutomaticIndexes.missing(for: query, [known])?.count == 1)
        let ranges = StructuredQuery.Filter.composite(
            .and,
            [.field(a, .greaterThan, .integer(1)), .field(b, .greaterThan, .integer(1))]
        )
        let two = try #require(try collection("c", filter: ranges).checked)
        #expect(AutomaticIndexes.missing(for: two, []) == nil)
        let byName = try #require(try collection("c", limit: 1).checked)
        #expect(AutomaticIndexes.missing(for: byName, []) == nil)
    }
}
