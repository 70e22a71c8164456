import BrasaCacheFile
import BrasaDocuments
import BrasaSync
import Foundation
import Testing

@testable import BrasaCache
@testable import BrasaSyncSpecification

@Suite struct OpeningTests {
    private let folder: TemporaryFolder

    init() throws {
        self.folder = try TemporaryFolder()
    }

    private var file: String { "\(self.folder.path)/cache.sqlite" }

    private func open() throws -> DiskStorage {
        try DiskStorage(folder: self.folder.path, database: SpecModel.database())
    }

    private func refusal(_ body: () throws -> Void) throws -> DiskStorageError {
        try #require(#expect(throws: DiskStorageError.self) { try body() })
    }

    private func setDocument(_ storage: DiskStorage) throws {
        let found = try document("c/a", 5, ["n": .integer(1)])
        try storage.transaction(.applyRemoteEvent) { tables throws(StorageError) in try tables.setDocument(found) }
    }

    private func read(_ storage: DiskStorage) throws -> SyncDocument {
        let path = try path("c/a")
        return try storage.transaction(.readDocument) { tables throws(StorageError) in try tables.document(at: path) }
    }

    // MARK: - The lock

    @Test func `A second object on the same folder is refused until the first is closed`() throws {
        let first = try self.open()
        try self.setDocument(first)
        let error = try self.refusal { _ = try self.open() }
        #expect(error.code == .inUse)
        #expect(error.description.contains(self.folder.path))
        #expect(try self.refusal { try DiskStorage.remove(folder: self.folder.path) }.code == .inUse)
        #expect(try self.read(first).isFound)
        first.close()
        #expect(try self.read(self.open()).isFound)
    }

    @Test func `A second process on the same folder is refused until the first has ended`() throws {
        let other = try HolderProcess(self.folder.path)
        #expect(other.answer == "open")
        #expect(try self.refusal { _ = try self.open() }.code == .inUse)
        #expect(try self.refusal { try DiskStorage.remove(folder: self.folder.path) }.code == .inUse)
        other.end()
        let storage = try self.open()
        let third = try HolderProcess(self.folder.path)
        #expect(third.answer.contains("in use by another process"))
        third.end()
        try self.setDocument(storage)
    }

    @Test func `A process that is killed leaves no lock behind`() throws {
        let other = try HolderProcess(self.folder.path)
        #expect(other.answer == "open")
        other.kill()
        try self.setDocument(try self.open())
    }

    @Test func `A closed storage answers that it is closed`() throws {
        let storage = try self.open()
        storage.close()
        #expect(throws: StorageError.self) { try self.read(storage) }
        #expect(throws: StorageError.self) {
            try storage.collectGarbage(CollectionLimits(bytesMax: 1), active: [])
        }
    }

    // MARK: - Damage

    @Test(arguments: [
        "not a database, but long enough to be more than its header is: \(String(repeating: "x", count: 200))",
        "SQLite format 3\u{0}",
    ])
    func `A file that is no database is reported, and removing cures it`(_ content: String) throws {
        try Data(content.utf8).write(to: URL(filePath: self.file))
        let error = try self.refusal { _ = try self.open() }
        #expect(error.code == .damaged)
        #expect(error.description.contains(self.folder.path))
        try DiskStorage.remove(folder: self.folder.path)
        #expect(!FileManager.default.fileExists(atPath: self.folder.path))
        try self.setDocument(try self.open())
    }

    @Test func `Damage inside the file is an error of the transaction that meets it, and removing cures it`() throws {
        let storage = try self.open()
        for _ in 0..<50 { try self.setDocument(storage) }
        storage.close()
        var bytes = try Data(contentsOf: URL(filePath: self.file))
        let page = 4096
        for index in (2 * page)..<bytes.count { bytes[index] = 0xA5 }
        try bytes.write(to: URL(filePath: self.file))
        do {
            let damaged = try self.open()
            let error = #expect(throws: StorageError.self) { try self.read(damaged) }
            #expect(error?.reason.contains("malformed") == true)
            damaged.close()
        } catch let error as DiskStorageError {
            #expect(error.code == .damaged)
        }
        try DiskStorage.remove(folder: self.folder.path)
        #expect(try !self.read(self.open()).isValid)
    }

    @Test func `Another program's database is left alone`() throws {
        try CacheFile(self.file).execute("CREATE TABLE mine (id INTEGER PRIMARY KEY)")
        #expect(try self.refusal { _ = try self.open() }.code == .damaged)
        #expect(try CacheFile(self.file).integers("SELECT count(*) FROM sqlite_schema WHERE name = 'mine'") == [1])
    }

    @Test func `A folder that cannot be made is reported`() throws {
        try Data("x".utf8).write(to: URL(filePath: self.file))
        let error = try self.refusal {
            _ = try DiskStorage(folder: "\(self.file)/below", database: SpecModel.database())
        }
        #expect(error.code == .inputOutput)
    }

    @Test func `What cannot be locked is not removed`() throws {
        let kept = "\(self.file)/kept"
        try FileManager.default.createDirectory(atPath: self.file, withIntermediateDirectories: true)
        try Data("x".utf8).write(to: URL(filePath: kept))
        #expect(try self.refusal { try DiskStorage.remove(folder: self.folder.path) }.code == .inputOutput)
        #expect(FileManager.default.fileExists(atPath: kept))
    }

    @Test func `Removing takes the files of the cache and nothing else`() throws {
        let other = "\(self.folder.path)/other"
        try self.setDocument(self.open())
        try Data("x".utf8).write(to: URL(filePath: other))
        try DiskStorage.remove(folder: self.folder.path)
        #expect(try FileManager.default.contentsOfDirectory(atPath: self.folder.path) == ["other"])
    }

    @Test func `Removing what is not there is nothing`() throws {
        try DiskStorage.remove(folder: "\(self.folder.path)/none")
    }

    // MARK: - Versions

    @Test func `A file of a newer version is refused and left as it is`() throws {
        let storage = try self.open()
        try self.setDocument(storage)
        storage.close()
        try CacheFile(self.file).execute("PRAGMA user_version = 1000")
        #expect(try self.refusal { _ = try self.open() }.code == .newer(schema: 1000, known: CacheSchema.steps.count))
        try CacheFile(self.file).execute("PRAGMA user_version = \(CacheSchema.steps.count)")
        #expect(try self.read(self.open()).isFound)
    }

    @Test func `Steps run once each, and one that fails leaves the version before it`() throws {
        let first = "PRAGMA application_id = \(CacheSchema.applicationID); CREATE TABLE a (x); INSERT INTO a VALUES (1)"
        let steps = [first, "CREATE TABLE b (y); INSERT INTO a VALUES (2)"]
        func migrate(_ steps: [String]) throws -> Int64? {
            let connection = try CacheConnection(file: self.file)
            try CacheSchema.migrate(connection, folder: self.folder.path, steps: steps)
            return try connection.file.integers("SELECT sum(x) FROM a").first
        }
        #expect(try migrate([first]) == 1)
        #expect(throws: DiskStorageError.self) {
            _ = try migrate([first, "INSERT INTO a VALUES (5); CREATE nonsense"])
        }
        #expect(try migrate([first]) == 1)
        #expect(try migrate(steps) == 3)
        #expect(try migrate(steps) == 3)
    }
}
