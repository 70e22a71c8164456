import BrasaCacheFile
import BrasaDocuments
import BrasaQueries
import BrasaStatus
import Foundation
import Testing

@testable import BrasaCache
@testable import BrasaSync
@testable import BrasaSyncSpecification

/// A file with something in every table, and what a client does that finds it, or what is left of it.
struct DamagedCache {
    let queries: [SyncQuery]
    private let paths: [ResourcePath]
    private let folder: TemporaryFolder
    private var file: URL { URL(filePath: "\(self.folder.path)/cache.sqlite") }

    static let users = [SyncUser.signedOut, SyncUser(uid: "ada")]
    private static let limits = IndexLimits(documentsMax: 8, forgottenMax: 4, lateMin: 4, usersMax: 2)

    init() throws {
        self.folder = try TemporaryFolder()
        let n = try field("n")
        let name = try #require(try DocumentName(database: SpecModel.database(), path: path("c/0")))
        let order = [StructuredQuery.Order(field: n, direction: .descending)]
        self.queries = [
            try collection("c"), try collection("c", orderBy: order, limit: 3, limitType: .last),
            try collection("c", filter: .field(n, .greaterThan, .integer(2))), try collection("d"),
            SyncQuery(document: try path("c/0")), try collection("c", limit: 3),
            try collection("c", filter: .field(try field("m"), .arrayContains, .integer(1)), isGroup: true),
            try collection("c", filter: .field(.documentName, .greaterThan, .reference(name))),
        ]
        self.paths = try ["c", "d", "p/0/c"].flatMap { id in try (0..<6).map { try path("\(id)/\($0)") } }
    }

    func open() throws -> DiskStorage {
        try DiskStorage(folder: self.folder.path, database: SpecModel.database())
    }

    func remove() throws {
        try DiskStorage.remove(folder: self.folder.path)
    }

    func read() throws -> [UInt8] { try Array(Data(contentsOf: self.file)) }

    func write(_ bytes: [UInt8]) throws {
        try self.remove()
        try FileManager.default.createDirectory(atPath: self.folder.path, withIntermediateDirectories: true)
        try Data(bytes).write(to: self.file)
    }

    /// Takes the statement as it is, if the tables' own rules let it.
    func change(_ sql: String) throws -> Bool {
        let storage = try self.open()
        defer { storage.close() }
        do {
            try storage.open?.connection.file.execute(sql)
            return true
        } catch {
            return false
        }
    }

    /// The first column of all rows.
    func blobs(_ sql: String) throws -> [[UInt8]] {
        let storage = try self.open()
        defer { storage.close() }
        return try storage.open?.connection.file.statement(sql).all { $0.bytes(0) } ?? []
    }

    func integers(_ sql: String) throws -> [Int64] {
        let storage = try self.open()
        defer { storage.close() }
        return try storage.open?.connection.file.integers(sql) ?? []
    }

    /// Of every table, SQLite's own aside, but for that of the numbers it has given.
    func columns() throws -> [(table: String, columns: [String])] {
        let tables = try self.texts("SELECT name FROM sqlite_schema WHERE type = 'table'")
        return try tables.map { ($0, try self.texts("SELECT name FROM pragma_table_info('\($0)')")) }
    }

    private func texts(_ sql: String) throws -> [String] {
        try self.blobs(sql).map { String(decoding: $0, as: UTF8.self) }
    }

    // MARK: - What is in it

    /// Targets with documents and tokens, indexes of every stage, queued writes of two users with a stream each, a bundle.
    func fill() throws {
        let storage = try self.open()
        let server = Self.server()
        let test = try TestClient(storage, server: server)
        test.engine.local.indexLimits = Self.limits
        for (number, query) in self.queries.enumerated() {
            test.listen(query)
            test.bring(try self.documents(of: query), to: query, at: Int64(10 + number))
        }
        try test.engine.local.setIndexes(Self.indexes)
        while case .more = try test.engine.local.backfillIndexes() {}
        try test.engine.local.setIndexes(Self.indexes + Self.laterIndexes)
        _ = try test.engine.local.backfillIndexes()
        test.client.loadBundle(Self.bundle) { _ in }
        for user in Self.users {
            test.client.setUser(user)
            test.settle()
            for write in try self.writes() { test.write(write) }
            for _ in 0..<2 {
                server.answer(test.transport)
                test.settle()
            }
        }
        test.unlistenAll()
        test.client.terminate {}
    }

    private func documents(of query: SyncQuery) throws -> [SyncDocument] {
        try self.paths.enumerated().map { number, path in
            let values: [String: Value] = [
                "n": .integer(Int64(number % 6)), "m": .array([.integer(1), .string("x")]),
                "s": .map([.init(key: "t", value: .string(UTF8Text(String(repeating: "z", count: 40))))]),
            ]
            return try document(path.string, 5, values)
        }.filter(query.matches)
    }

    private func writes() throws -> [Write] {
        let increment = FieldTransform(path: try field("n"), operation: .increment(.integer(1)))
        let now = FieldTransform(path: try field("t"), operation: .requestTime)
        let more = FieldTransform(path: try field("m"), operation: .appendMissingElements([.integer(3)]))
        return [
            try set("c/1", ["n": .integer(7)]), try patch("c/2", ["s.t": .null], [increment, now], mustExist: false),
            try patch("c/2", [:], [increment]), try SpecModel.write("d/3", .delete),
            try set("d/9", ["n": .double(0.5)], [now, more]),
        ]
    }

    private static var indexes: [IndexDefinition] {
        get throws {
            let (n, m) = (try field("n"), try field("m"))
            return [
                IndexDefinition(collectionID: "c", scope: .collection, parts: [.init(n, .descending)]),
                IndexDefinition(collectionID: "c", scope: .collectionGroup, parts: [.init(m, .contains)]),
            ]
        }
    }

    /// One that is being filled.
    private static var laterIndexes: [IndexDefinition] {
        get throws {
            let parts = [IndexDefinition.Part(try field("n"), .ascending), .init(try field("s.t"), .ascending)]
            return [IndexDefinition(collectionID: "c", scope: .collectionRecursive, parts: parts)]
        }
    }

    private static let bundle: [UInt8] = {
        let name = "projects/test-project/databases/(default)/documents"
        let elements = [
            #"{"metadata":{"id":"b","createTime":{"seconds":5},"version":1,"totalDocuments":1,"totalBytes":"10"}}"#,
            #"{"namedQuery":{"name":"q","readTime":{"seconds":6},"bundledQuery":{"parent":"\#(name)","#
                + #""structuredQuery":{"from":[{"collectionId":"c"}]},"limitType":"FIRST"}}}"#,
            #"{"documentMetadata":{"name":"\#(name)/c/8","readTime":{"seconds":6},"exists":true,"queries":["q"]}}"#,
            #"{"document":{"name":"\#(name)/c/8","createTime":{"seconds":1},"updateTime":{"seconds":2},"fields":{}}}"#,
        ]
        return elements.flatMap { Array("\($0.utf8.count)\($0)".utf8) }
    }()

    private static func server() -> FakeWriteServer {
        var version: Int64 = 1000
        return FakeWriteServer { writes in
            version += 1
            let time = Timestamp(microseconds: version)
            let results = writes.map { write in
                WriteResult(updateTime: time, transformResults: write.transforms.map { _ in .integer(1) })
            }
            return WriteMessage(streamToken: [], commitTime: time, results: results)
        }
    }

    // MARK: - A client's life

    /// Everything that a client can do; gives what it was told of failures.
    func live() throws -> Set<String> {
        let server = Self.server()
        let test = try TestClient(
            try self.open(),
            configuration: SyncConfiguration(cacheBytesMax: 1),
            server: server
        )
        test.engine.local.indexLimits = Self.limits
        var failures: Set<String> = []
        func note<Success>(_ result: Result<Success, SyncError>) {
            if case .failure(let error) = result { failures.insert("\(error.code)") }
        }
        for path in self.paths { test.client.getDocument(path, source: .cache) { _ in } }
        for query in self.queries { test.client.getDocuments(query, source: .cache, completion: note) }
        _ = test.client.namedQuery("q").map { test.listen($0) }
        for (number, query) in self.queries.enumerated() {
            test.listen(query, ListenOptions(includeMetadataChanges: true))
            // Where the storage cannot give the target, nobody is asked.
            guard test.wireID(of: query) != 0 else { continue }
            test.bring(try self.documents(of: query).dropLast(), to: query, at: Int64(2000 + number))
            test.say(.filter(target: test.wireID(of: query), count: 1, bloomFilter: nil))
        }
        for user in Self.users.reversed() {
            test.client.setUser(user)
            test.settle()
            for write in try self.writes() { test.write(write) }
            test.client.waitForPendingWrites { _ in }
            for _ in 0..<12 {
                server.answer(test.transport)
                test.settle()
            }
            test.transport.breakWrites(SyncError(.notFound))
            for _ in 0..<4 { test.scheduler.fire(through: nil) }
        }
        test.client.setIndexAutoCreation(true)
        for query in self.queries { test.client.getDocuments(query, source: .cache, completion: note) }
        test.client.loadBundle(Self.bundle, completion: note)
        test.client.setIndexConfiguration(Array(#"{"indexes":[]}"#.utf8)) { _ in }
        test.unlistenAll()
        for _ in 0..<8 { test.scheduler.fire(through: nil) }
        test.client.terminate {}
        for line in test.log {
            for word in ["error ", "rejected "] where line.hasPrefix(word) {
                failures.insert(String(line.dropFirst(word.count)))
            }
        }
        return failures
    }

    // MARK: - What it says

    /// What can be read of it, by what was asked; what cannot is left out.
    func contents() throws -> [String: String] {
        let storage = try self.open()
        defer { storage.close() }
        var contents: [String: String] = [:]
        func read(_ label: String, _ body: (any StorageTables) throws(StorageError) -> String) {
            contents[label] = try? storage.transaction(.executeQuery, body)
        }
        for path in self.paths {
            read("document \(path)") { tables throws(StorageError) in "\(try tables.document(at: path))" }
        }
        for user in Self.users {
            let name = user.uid ?? "nobody"
            read("batches of \(name)") { tables throws(StorageError) in "\(try tables.allBatches(of: user))" }
            read("stream of \(name)") { tables throws(StorageError) in
                "\(String(describing: try tables.writeStreamPosition(of: user)))"
            }
            for path in self.paths {
                read("overlay \(path) of \(name)") { tables throws(StorageError) in
                    "\(String(describing: try tables.overlay(at: path, of: user)))"
                }
            }
        }
        for (number, query) in self.queries.enumerated() {
            read("target \(number)") { tables throws(StorageError) in
                guard let data = try tables.targetData(for: query.target) else { return "" }
                return "\(data) \(try tables.remoteKeys(of: data.id).sorted())"
            }
        }
        read("query") { tables throws(StorageError) in "\(String(describing: try tables.namedQuery("q")))" }
        read("bundle") { tables throws(StorageError) in "\(String(describing: try tables.bundleCreateTime("b")))" }
        read("version") { tables throws(StorageError) in "\(try tables.lastRemoteSnapshotVersion())" }
        return contents
    }
}
