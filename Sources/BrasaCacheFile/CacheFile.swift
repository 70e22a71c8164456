package import GRDB

/// The SQLite file of one cache, which one object of one process has open at a time.
package struct CacheFile {
    package let queue: DatabaseQueue

    /// - Parameter label: what the file's own thread is called.
    package init(_ file: String, label: String) throws(DatabaseError) {
        let configuration = Self.configuration(label: label)
        self.queue = try Self.catching { try DatabaseQueue(path: file, configuration: configuration) }
    }

    private static func configuration(label: String) -> Configuration {
        var configuration = Configuration()
        configuration.label = label
        configuration.foreignKeysEnabled = false
        configuration.prepareDatabase { database in
            // The lock is taken with the first access and kept until the file is closed. The vacuum's mode must be chosen
            // before the first page is written.
            try database.execute(
                sql: """
                    PRAGMA locking_mode = EXCLUSIVE;
                    PRAGMA auto_vacuum = INCREMENTAL;
                    PRAGMA journal_mode = WAL;
                    PRAGMA synchronous = NORMAL;
                    PRAGMA journal_size_limit = 4194304;
                    PRAGMA cache_size = -8192;
                    PRAGMA temp_store = MEMORY;
                    PRAGMA cell_size_check = ON;
                    """
            )
        }
        return configuration
    }

    /// Statements must be gone before.
    package func close() {
        try? self.queue.close()
    }

    /// Outside of a transaction.
    package func write<Output>(_ body: (Database) throws -> Output) throws(DatabaseError) -> Output {
        try Self.catching { try self.queue.writeWithoutTransaction(body) }
    }

    /// GRDB throws this one type from what is used here.
    private static func catching<Output>(_ body: () throws -> Output) throws(DatabaseError) -> Output {
        do {
            return try body()
        } catch let error as DatabaseError {
            throw error
        } catch {
            throw DatabaseError(resultCode: .SQLITE_ERROR, message: "\(error)")
        }
    }
}

extension CacheFile {
    /// Brings the tables to the newest schema. A step that has been released is never changed: what comes later is a new
    /// step at the end.
    /// - Parameters:
    ///   - steps: step n makes schema n + 1 of schema n; the first one sets `application_id`.
    ///   - applicationID: marks our files.
    package func migrate(folder: String, applicationID: Int, steps: [String]) throws(DiskStorageError) {
        let found = try DiskStorageError.wrapping(folder) { () throws(DatabaseError) in
            try self.write { database in
                (
                    isOurs: try Self.isOurs(database, applicationID),
                    version: try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0
                )
            }
        }
        guard found.isOurs, found.version >= 0 else {
            throw DiskStorageError(.damaged, folder: folder, cause: "the file is another program's")
        }
        guard found.version <= steps.count else {
            throw DiskStorageError(.newer(schema: found.version, known: steps.count), folder: folder)
        }
        for (index, step) in steps.enumerated().dropFirst(found.version) {
            try DiskStorageError.wrapping(folder) { () throws(DatabaseError) in
                try self.write { try Self.run(step, to: index + 1, $0) }
            }
        }
    }

    /// Each step is a transaction that ends with its number, so that a crash is between two of them.
    private static func run(_ step: String, to version: Int, _ database: Database) throws {
        try database.inTransaction(.immediate) {
            try database.execute(sql: step)
            try database.execute(sql: "PRAGMA user_version = \(version)")
            return .commit
        }
    }

    /// Also of a file that is still empty.
    private static func isOurs(_ database: Database, _ applicationID: Int) throws -> Bool {
        let id = try Int.fetchOne(database, sql: "PRAGMA application_id") ?? 0
        guard id == 0 else { return id == applicationID }
        return try Int.fetchOne(database, sql: "SELECT count(*) FROM sqlite_schema") == 0
    }
}
