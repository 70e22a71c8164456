import BrasaDocuments
import BrasaQueries
import Testing

@testable import BrasaCache
@testable import BrasaSync
@testable import BrasaSyncSpecification

@Suite struct IndexTests {
    @Test(arguments: 1...25 as ClosedRange<UInt64>)
    func `Indexes on a disk find what a look at everything finds`(seed: UInt64) throws {
        let folder = try TemporaryFolder()
        var storage: DiskStorage?
        var trial = try IndexTrial(seed: seed, limits: IndexTrial.limits(seed)) {
            let opened = try DiskStorage(folder: folder.path, database: SpecModel.database())
            storage = opened
            return opened
        }
        for _ in 0..<100 { try trial.step() }
        try trial.settle()
        #expect(trial.indexedCount > 0)
        try trial.removeAllIndexes()
        for table in Self.tables { #expect(try storage?.rowCount(table) == 0, "\(table)") }
    }

    private static let tables = [
        "field_indexes", "field_index_parts", "index_progress", "index_entries", "document_changes", "forgotten_parts",
    ]

    @Test func `A transaction that fails leaves the indexes as they were`() throws {
        let folder = try TemporaryFolder()
        let storage = try DiskStorage(folder: folder.path, database: SpecModel.database())
        let local = LocalStore(storage: storage, user: .signedOut)
        let definition = IndexDefinition(
            collectionID: "c",
            scope: .collection,
            parts: [.init(try field("n"), .ascending), .init(try field("`a.b`.c"), .descending)]
        )
        try local.setIndexes([definition])
        try self.put("c/a", in: storage, fails: true)
        #expect(throws: StorageError.self) {
            try storage.transaction(.configureIndexes) { tables throws(StorageError) in
                guard let indexes = tables.indexes, let index = try indexes.fieldIndexes().first else { return }
                try indexes.removeFieldIndex(index)
                try indexes.addFieldIndex(IndexDefinition(collectionID: "d", scope: .collectionGroup, parts: []))
                throw StorageError(.configureIndexes, reason: "told to fail")
            }
        }
        try self.put("c/b", in: storage, fails: false)
        try storage.transaction(.readDocument) { tables throws(StorageError) in
            #expect(try tables.indexes?.fieldIndexes().map(\.definition) == [definition])
            #expect(try tables.indexes?.changes(ofCollectionID: "c", after: 0, limit: 9).map(\.path.string) == ["c/b"])
        }
    }

    private func put(_ text: String, in storage: DiskStorage, fails: Bool) throws {
        let document = try document(text, 1, [:])
        do throws(StorageError) {
            try storage.transaction(.applyRemoteEvent) { tables throws(StorageError) in
                try tables.setDocument(document)
                if fails { throw StorageError(.applyRemoteEvent, reason: "told to fail") }
            }
        } catch {
            #expect(fails)
        }
    }

    @Test func `An index that is being filled misses nothing when a collection leaves the cache and comes back`() throws
    {
        let folder = try TemporaryFolder()
        let storage = try DiskStorage(folder: folder.path, database: SpecModel.database())
        let local = LocalStore(storage: storage, user: .signedOut)
        let counts = [IndexLimits().documentsMax, 10, 10, 10]
        for (parent, count) in counts.enumerated() {
            for index in 0..<count { try self.putNumber("p/\(parent)/c/\(index)", in: storage) }
        }
        let parts = [IndexDefinition.Part(try field("n"), .ascending)]
        try local.setIndexes([IndexDefinition(collectionID: "c", scope: .collectionGroup, parts: parts)])
        _ = try local.backfillIndexes()
        let percent = 100 * (counts[0] + 1) / counts.reduce(0, +)
        let limits = CollectionLimits(bytesMax: 0, percent: percent, countMax: counts[0])
        _ = try storage.collectGarbage(limits, active: [])
        try self.putNumber("p/0/c/0", in: storage)
        while case .more = try local.backfillIndexes() {}
        try storage.transaction(.readDocument) { tables throws(StorageError) in
            guard let indexes = tables.indexes, let index = try indexes.fieldIndexes().first else { return }
            let all = KeyInterval.all
            let found = try indexes.entries(of: index.id, for: .signedOut, in: all, isReversed: false, limit: 1000)
            #expect(found.count == 31)
        }
    }

    private func putNumber(_ text: String, in storage: DiskStorage) throws {
        let document = try document(text, 1, ["n": .integer(1)])
        try storage.transaction(.applyRemoteEvent) { tables throws(StorageError) in try tables.setDocument(document) }
    }

    @Test func `Entries are found between any two places, from either end`() throws {
        let folder = try TemporaryFolder()
        let storage = try DiskStorage(folder: folder.path, database: SpecModel.database())
        let bytes: [UInt8] = [0, 1, 254, 255]
        let keys = bytes.flatMap { first in bytes.map { IndexKey(.bytes([1, first, $0])) } }
        let name = try path("c/a")
        try storage.transaction(.configureIndexes) { tables throws(StorageError) in
            guard let indexes = tables.indexes else { return }
            try indexes.addFieldIndex(IndexDefinition(collectionID: "c", scope: .collection, parts: []))
            try indexes.setProgress(
                IndexProgress(stage: .ready, lastChange: 0, sequence: 0),
                of: 1,
                for: .signedOut
            )
            try indexes.setKeys(keys, of: name, in: 1, for: .signedOut)
            let all = keys.map(\.bytes)
            let prefixes = Set(all.flatMap { key in (0...key.count).map { Array(key.prefix($0)) } })
            let places = prefixes.flatMap { [IndexPosition.before($0), .after($0)] }
            for start in places {
                for end in places {
                    let wanted = all.filter { !(.before($0) < start) && .before($0) < end }
                    for isReversed in [false, true] {
                        let found = try indexes.entries(
                            of: 1,
                            for: .signedOut,
                            in: KeyInterval(start: start, end: end),
                            isReversed: isReversed,
                            limit: 3
                        )
                        let expected = (isReversed ? wanted.reversed() : wanted).prefix(3)
                        #expect(found.map(\.key) == Array(expected), "\(start) \(end)")
                    }
                }
            }
        }
    }
}
