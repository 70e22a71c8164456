import BrasaCacheFile
import BrasaDocuments
import BrasaQueries
import Testing

@testable import BrasaCache
@testable import BrasaSync
@testable import BrasaSyncSpecification

/// What indexes keep on disk stays bounded, and no transaction does much of it.
@Suite struct IndexBoundsTests {
    private let folder: TemporaryFolder
    private let definition: IndexDefinition

    init() throws {
        self.folder = try TemporaryFolder()
        self.definition = IndexDefinition(
            collectionID: "c",
            scope: .collection,
            parts: [.init(try field("n"), .ascending)]
        )
    }

    private func open(_ user: SyncUser = .signedOut) throws -> (storage: DiskStorage, local: LocalStore) {
        let storage = try DiskStorage(folder: self.folder.path, database: SpecModel.database())
        return (storage, LocalStore(storage: storage, user: user))
    }

    private func bring(_ numbers: Range<Int>, at version: Int64 = 1, to local: LocalStore) throws {
        var documents: DocumentMap = [:]
        for number in numbers {
            var document = try document("c/\(number)", version, ["n": .integer(Int64(number % 10))])
            document.readTime = document.version
            documents[document.path] = document
        }
        _ = try local.storage.transaction(.applyRemoteEvent) { tables throws(StorageError) in
            try local.store(documents, in: tables)
        }
    }

    private func fill(_ local: LocalStore) throws {
        while case .more = try local.backfillIndexes() {}
    }

    /// How many documents a query has found, and by an index.
    private func found(_ local: LocalStore) throws -> (count: Int, isIndexed: Bool) {
        let query = try collection("c", filter: .field(try field("n"), .equal, .integer(3)))
        return try local.storage.transaction(.executeQuery) { tables throws(StorageError) in
            let runner = QueryRunner(tables: tables, user: local.user)
            let run = try runner.run(query, lastLimboFreeVersion: .zero, remoteKeys: [])
            return (run.documents.count, run.scanned == nil)
        }
    }

    // MARK: - Removal

    @Test func `A run that takes entries away takes few, too`() throws {
        let tags = IndexDefinition(collectionID: "c", scope: .collection, parts: [.init(try field("tags"), .contains)])
        let (storage, local) = try self.open()
        func bring(_ tags: [Value], at version: Int64) throws {
            var documents: DocumentMap = [:]
            for number in 0..<8 {
                var document = try document("c/\(number)", version, ["tags": .array(tags)])
                document.readTime = document.version
                documents[document.path] = document
            }
            _ = try local.storage.transaction(.applyRemoteEvent) { tables throws(StorageError) in
                try local.store(documents, in: tables)
            }
        }
        try bring((0..<900).map { .integer($0) }, at: 1)
        try local.setIndexes([tags])
        try self.fill(local)
        #expect(try storage.rowCount("index_entries") == 7_200)
        try bring([], at: 2)
        var isDone = false
        while !isDone {
            let changes = try storage.rowChanges { isDone = try local.backfillIndexes() == .upToDate }
            #expect(changes <= 2_600)
        }
        #expect(try storage.rowCount("index_entries") == 0)
    }

    @Test func `A part that cannot be read does not keep others from going on`() throws {
        var (storage, local) = try self.open()
        try self.bring(0..<200, to: local)
        try local.setIndexes([self.definition])
        try self.fill(local)
        try storage.open?.connection.file.execute(
            """
            INSERT INTO users (uid) VALUES (x'0161');
            INSERT INTO index_progress (field_index, user, stage, last_change, sequence)
            SELECT id, (SELECT max(number) FROM users), 7, -1, 0 FROM field_indexes
            """
        )
        storage.close()
        (storage, local) = try self.open()
        try self.bring(0..<20, at: 2, to: local)
        try self.fill(local)
        #expect(try storage.rowCount("index_progress") == 1)
        #expect(try self.found(local) == (20, true))
        try local.setIndexes([])
        #expect(try storage.rowCount("index_progress") == 0)
    }

    @Test func `A part that becomes unreadable is filled anew, without what there was of it`() throws {
        var (storage, local) = try self.open()
        local.indexLimits = IndexLimits(lateMin: 10)
        try self.bring(0..<200, to: local)
        try local.setIndexes([self.definition])
        try self.fill(local)
        try storage.open?.connection.file.execute("UPDATE index_progress SET stage = 7")
        try self.bring(0..<20, at: 2, to: local)
        try self.fill(local)
        #expect(try self.found(local) == (20, true))
        storage.close()
        (storage, local) = try self.open()
        try self.fill(local)
        #expect(try self.found(local) == (20, true))
        #expect(try storage.rowCount("index_entries") == 200)
        #expect(try storage.rowCount("index_progress") == 1)
    }

    @Test func `An index is removed at once and freed a bite at a time, also by the next process`() throws {
        var (storage, local) = try self.open()
        try self.bring(0..<2000, to: local)
        try local.setIndexes([self.definition])
        try self.fill(local)
        #expect(try self.found(local) == (200, true))
        try self.bring(0..<1000, at: 2, to: local)
        #expect(try storage.rowChanges { try local.setIndexes([]) } < 20)
        #expect(try self.found(local) == (200, false))
        #expect(try local.backfillIndexes() == .more)
        #expect(try storage.rowCount("index_entries") == 1500)

        storage.close()
        (storage, local) = try self.open()
        var runs = 0
        while case .more = try local.backfillIndexes() {
            runs += 1
            #expect(try storage.rowChanges { _ = try local.backfillIndexes() } <= 2 * local.indexLimits.forgottenMax)
        }
        #expect(runs >= 2)
        #expect(try storage.rowCount("index_entries") == 0)
        #expect(try storage.rowCount("document_changes") == 0)
        #expect(try storage.rowCount("forgotten_parts") == 0)
    }

    @Test func `A removed index can be made again while the old one is being freed`() throws {
        let (storage, local) = try self.open()
        try self.bring(0..<1000, to: local)
        try local.setIndexes([self.definition])
        try self.fill(local)
        try local.setIndexes([])
        _ = try local.backfillIndexes()
        try self.bring(0..<10, at: 2, to: local)
        try local.setIndexes([self.definition])
        #expect(try self.found(local) == (100, false))
        #expect(try local.backfillIndexes() == .more)
        #expect(try self.found(local) == (100, false))
        try self.fill(local)
        #expect(try self.found(local) == (100, true))
        #expect(try storage.rowCount("index_entries") == 1000)
        try self.bring(0..<10, at: 3, to: local)
        #expect(try self.found(local) == (100, true))
    }

    @Test func `An index that is abandoned leaves neither entries nor changes`() throws {
        let (storage, local) = try self.open()
        try self.bring(0..<200, to: local)
        let tags = IndexDefinition(
            collectionID: "c",
            scope: .collection,
            parts: [.init(try field("tags"), .contains), .init(try field("n"), .ascending)]
        )
        try local.setIndexes([tags])
        try self.fill(local)
        let count = IndexDefinition.entriesMax
        for (number, size) in [(900, 1000), (999, count + 1)] {
            let values = ["tags": Value.array((0..<size).map { .integer(Int64($0)) }), "n": .integer(3)]
            let large = try document("c/\(number)", 2, values)
            try storage.transaction(.applyRemoteEvent) { tables throws(StorageError) in try tables.setDocument(large) }
        }
        while case .more = try local.backfillIndexes() {}
        #expect(try storage.rowCount("index_entries") == 0)
        for version in 3..<10 as Range<Int64> {
            try self.bring(0..<200, at: version, to: local)
            try self.fill(local)
        }
        #expect(try storage.rowCount("document_changes") == 0)
        #expect(try self.found(local) == (20, false))
        try storage.transaction(.readDocument) { tables throws(StorageError) in
            #expect(try tables.indexes?.progress(of: 1, for: .signedOut)?.stage == .abandoned)
        }
    }

    // MARK: - Users

    @Test func `What a user lacks who does not come back is not kept for ever`() throws {
        let (storage, local) = try self.open(SyncUser(uid: "ada"))
        try self.bring(0..<100, to: local)
        try local.setIndexes([self.definition])
        try self.fill(local)
        _ = try local.changeUser(to: .signedOut)
        // Documents come and go.
        let limit = 2 * local.indexLimits.lateMin + 100
        for number in 0..<50 {
            try self.bring(100 * number..<100 * number + 100, at: Int64(number + 2), to: local)
            try self.fill(local)
            if number > 1 {
                let (first, last) = (100 * number - 200, 100 * number - 100)
                try storage.transaction(.applyRemoteEvent) { tables throws(StorageError) in
                    for number in first..<last {
                        guard let path = try? path("c/\(number)") else { continue }
                        try tables.removeDocument(at: path)
                    }
                }
            }
            #expect(try storage.rowCount("document_changes") <= limit)
        }
        try self.fill(local)
        #expect(try storage.rowCount("document_changes") == 0)
        #expect(try storage.rowCount("index_progress") == 1)
        #expect(try storage.rowCount("index_entries") == 200)
        // Should they come back after all, their part begins anew.
        _ = try local.changeUser(to: SyncUser(uid: "ada"))
        #expect(try self.found(local) == (20, false))
        try self.fill(local)
        #expect(try self.found(local) == (20, true))
    }

    @Test func `A user whose documents change often keeps a part that lacks fewer than there are`() throws {
        let (storage, local) = try self.open(SyncUser(uid: "ada"))
        try self.bring(0..<3000, to: local)
        try local.setIndexes([self.definition])
        try self.fill(local)
        _ = try local.changeUser(to: .signedOut)
        for version in 2..<8 as Range<Int64> {
            try self.bring(0..<2500, at: version, to: local)
            _ = try local.backfillIndexes()
        }
        #expect(try storage.rowCount("index_progress") == 2)
        _ = try local.changeUser(to: SyncUser(uid: "ada"))
        #expect(try self.found(local) == (300, true))
    }

    @Test func `An index has a part of the users that came last`() throws {
        let (storage, local) = try self.open()
        try self.bring(0..<10, to: local)
        try local.setIndexes([self.definition])
        for number in 0..<9 {
            _ = try local.changeUser(to: SyncUser(uid: "\(number)"))
            try self.fill(local)
            try self.bring(0..<1, at: Int64(number + 2), to: local)
        }
        try self.fill(local)
        let users = try storage.transaction(.readDocument) { tables throws(StorageError) in
            try tables.indexes?.parts(of: 1).compactMap(\.user.uid)
        }
        #expect(users?.sorted() == ["5", "6", "7", "8"])
        #expect(try storage.rowCount("index_entries") == 40)
    }
}

extension DiskStorage {
    func rowCount(_ table: String) throws -> Int {
        Int(try #require(self.open?.connection.file.integers("SELECT count(*) FROM \(table)").first))
    }

    /// How many rows the body changes.
    func rowChanges(_ body: () throws -> Void) throws -> Int {
        let file = try #require(self.open).connection.file
        let before = file.totalChanges
        try body()
        return file.totalChanges - before
    }
}
