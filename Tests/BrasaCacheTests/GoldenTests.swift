import BrasaCacheFile
import BrasaDocuments
import BrasaQueries
import Foundation
import Testing

@testable import BrasaCache
@testable import BrasaSync
@testable import BrasaSyncSpecification

/// Files that earlier versions have written stay readable. `Golden` has one for each schema, as SQL; a new one is made by
/// `sqlite3 cache.sqlite .dump`, with the two pragmas, of what `fill` stores.
@Suite struct GoldenTests {
    private let folder: TemporaryFolder

    init() throws {
        self.folder = try TemporaryFolder()
    }

    private func open(_ name: String) throws -> DiskStorage {
        try DiskStorage(folder: "\(self.folder.path)/\(name)", database: SpecModel.database())
    }

    @Test(arguments: [2, 3, 4]) func `A file of an earlier version says what a new one says`(_ schema: Int) throws {
        try self.make("old", schema: schema)
        let storage = try self.open("new")
        try self.fill(storage)
        if schema >= 4 { try self.fillIndexes(storage) }
        #expect(try self.content(of: self.open("old")) == self.content(of: storage))
    }

    private func make(_ name: String, schema: Int, adding sql: String = "") throws {
        let file = try #require(
            Bundle.module.url(forResource: "schema-\(schema)", withExtension: "sql", subdirectory: "Golden")
        )
        let folder = "\(self.folder.path)/\(name)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try CacheFile("\(folder)/cache.sqlite").execute(String(contentsOf: file, encoding: .utf8) + sql)
    }

    @Test func `Indexes that were abandoned before schema 4 lose their entries, the others keep theirs`() throws {
        let rows = """
            INSERT INTO field_indexes VALUES (1, 'cities', 0), (2, 'cities', 1);
            INSERT INTO index_progress VALUES (1, 1, 1, 2, NULL, 0, 0), (2, 2, 1, 1, NULL, 0, 0);
            INSERT INTO index_entries VALUES (1, x'01', 'cities/sf'), (2, x'01', 'cities/sf'), (2, x'02', 'cities/la');
            """
        try self.make("old", schema: 3, adding: rows)
        let storage = try self.open("old")
        #expect(try storage.rowCount("index_entries") == 3)
        let freed = try storage.transaction(.backfillIndexes) { tables throws(StorageError) in
            try tables.indexes?.forget(countMax: 100)
        }
        #expect(freed == 1)
        #expect(try storage.rowCount("index_entries WHERE owner = 2") == 2)
        #expect(try storage.rowCount("forgotten_parts") == 0)
    }

    private func fill(_ storage: DiskStorage) throws {
        let user = SyncUser(uid: "ada")
        let query = try collection(
            "cities",
            filter: .field(try field("n"), .greaterThan, .integer(3)),
            limit: 2,
            limitType: .last
        )
        let found = try document("cities/sf", 7, ["n": .integer(4), "a": .array([.null, .string("ä")])])
        var committed = try document("cities/__id5__", 8, [:])
        committed.commit(.found(fields(["n": .integer(1)])), version: Timestamp(microseconds: 8))
        let missing = try document("cities/sf/streets/x", 9, nil)
        var write = try patch(
            "cities/sf",
            ["n": .integer(5)],
            [FieldTransform(path: try field("t"), operation: .requestTime)]
        )
        write.precondition = .updateTime(Timestamp(microseconds: 7))
        let batch = PendingBatch(
            localWriteTime: Timestamp(microseconds: 11),
            baseWrites: [try patch("cities/sf", ["n": .integer(4)])],
            writes: [write, try SpecModel.write("cities/la", .delete)]
        )
        let overlay = Overlay.patch(fields(["n": .integer(5)]), paths: [try field("n"), try field("gone.`a b`")])
        try storage.transaction(.writeLocally) { tables throws(StorageError) in
            for document in [found, committed, missing] {
                var document = document
                document.readTime = Timestamp(microseconds: 10)
                try tables.setDocument(document)
            }
            let id = try tables.appendBatch(batch, of: user).id
            try tables.setOverlay(StoredOverlay(batchID: id, overlay: overlay), at: found.path, of: user)
            try tables.setOverlay(StoredOverlay(batchID: id, overlay: .delete), at: missing.path, of: .signedOut)
            for target in [query.target, .document(found.path), .bundle("b")] {
                var data = TargetData(target: target, id: try tables.allocateTargetID(), purpose: .listen, sequence: 1)
                data.resume(at: Timestamp(microseconds: 10), token: [1, 2])
                try tables.setTargetData(data)
                try tables.addRemoteKeys([found.path, committed.path], to: data.id)
            }
            try tables.setBundleCreateTime(Timestamp(microseconds: 3), of: "b")
            try tables.setNamedQuery(NamedQuery(name: "q", query: query, readTime: Timestamp(microseconds: 4)))
            try tables.setLastRemoteSnapshotVersion(Timestamp(microseconds: 10))
        }
    }

    /// One that is ready for one user and abandoned by another, one that was removed, one that is being filled.
    private func fillIndexes(_ storage: DiskStorage) throws {
        let parts = [
            IndexDefinition.Part(try field("n"), .descending), .init(try field("gone.`a b`"), .contains),
        ]
        let path = try path("cities/sf")
        let (ada, bob) = (SyncUser(uid: "ada"), SyncUser(uid: "bob"))
        try storage.transaction(.configureIndexes) { tables throws(StorageError) in
            guard let indexes = tables.indexes else { return }
            for scope in [IndexDefinition.Scope.collection, .collectionGroup, .collectionRecursive] {
                try indexes.addFieldIndex(IndexDefinition(collectionID: "cities", scope: scope, parts: parts))
            }
            for index in try indexes.fieldIndexes() {
                for user in [ada, bob] {
                    let progress = IndexProgress(stage: .ready, lastChange: 2, sequence: 3)
                    try indexes.setProgress(progress, of: index.id, for: user)
                    let key = IndexKey(.bytes([1, UInt8(truncatingIfNeeded: index.id)]))
                    try indexes.setKeys([key], of: path, in: index.id, for: user)
                }
            }
            let filling = IndexProgress(stage: .filling(through: path), lastChange: 1, sequence: 4)
            try indexes.setProgress(filling, of: 2, for: ada)
            try indexes.setProgress(IndexProgress(stage: .abandoned, lastChange: 0, sequence: 5), of: 1, for: bob)
            for index in try indexes.fieldIndexes() where index.id == 3 { try indexes.removeFieldIndex(index) }
            for _ in 0..<3 { try tables.setDocument(try tables.document(at: path)) }
        }
    }

    private func content(of storage: DiskStorage) throws -> [String] {
        let paths = try ["cities/sf", "cities/__id5__", "cities/sf/streets/x", "cities/la"].map(path)
        let users = [SyncUser(uid: "ada"), .signedOut]
        return try storage.transaction(.executeQuery) { tables throws(StorageError) in
            var lines: [String] = []
            for path in paths {
                let document = try tables.document(at: path)
                lines.append("\(document) \(document.readTime)")
                for user in users {
                    lines.append("\(path) \(String(describing: try tables.overlay(at: path, of: user)))")
                }
            }
            for user in users { lines.append("\(try tables.allBatches(of: user))") }
            let query = try tables.namedQuery("q")
            lines.append("\(String(describing: query?.readTime)) \(String(describing: query?.query.limitType))")
            for target in [query?.query.target, .document(paths[0]), .bundle("b")].compactMap(\.self) {
                let data = try tables.targetData(for: target)
                lines.append("\(target) \(data?.id ?? 0) \(data?.resumeToken ?? []) \(data?.snapshotVersion ?? .zero)")
                let keys = try tables.remoteKeys(of: data?.id ?? 0).sorted()
                lines.append("\(keys)")
            }
            lines.append(
                "\(String(describing: try tables.bundleCreateTime("b"))) \(try tables.lastRemoteSnapshotVersion())"
            )
            lines.append("\(try tables.collections(withID: "streets")) \(try tables.allocateTargetID())")
            return try lines + self.indexes(in: tables, of: users)
        }
    }

    private func indexes(in tables: any StorageTables, of users: [SyncUser]) throws(StorageError) -> [String] {
        guard let indexes = tables.indexes else { return [] }
        var lines: [String] = []
        for index in try indexes.fieldIndexes() {
            lines.append("\(index) \(try indexes.parts(of: index.id))")
            for user in users {
                let found = try indexes.entries(of: index.id, for: user, in: .all, isReversed: false, limit: 9)
                lines.append("\(found)")
            }
        }
        lines.append("\(try indexes.changes(ofCollectionID: "cities", after: 0, limit: 9)) \(try indexes.lastChange())")
        lines.append("\(try indexes.forget(countMax: 9)) freed")
        return lines
    }
}
