extension CacheFile {
    /// Brings the tables to the newest schema. A step that has been released is never changed: what comes later is a new
    /// step at the end.
    /// - Parameters:
    ///   - steps: step n makes schema n + 1 of schema n; the first one sets `application_id`.
    ///   - applicationID: marks our files.
    package func migrate(folder: String, applicationID: Int, steps: [String]) throws(DiskStorageError) {
        let found = try DiskStorageError.wrapping(folder) { () throws(SQLiteError) in
            (isOurs: try self.isOurs(applicationID), version: Int(try self.integers("PRAGMA user_version").first ?? 0))
        }
        guard found.isOurs, found.version >= 0 else {
            throw DiskStorageError(.damaged, folder: folder, detail: "the file is another program's")
        }
        guard found.version <= steps.count else {
            throw DiskStorageError(.newer(schema: found.version, known: steps.count), folder: folder)
        }
        for (index, step) in steps.enumerated().dropFirst(found.version) {
            try DiskStorageError.wrapping(folder) { () throws(SQLiteError) in try self.run(step, to: index + 1) }
        }
    }

    /// Each step is a transaction that ends with its number, so that a crash is between two of them.
    private func run(_ step: String, to version: Int) throws(SQLiteError) {
        try self.transaction { () throws(SQLiteError) in
            try self.execute(step)
            try self.execute("PRAGMA user_version = \(version)")
        }
    }

    /// Also of a file that is still empty.
    private func isOurs(_ applicationID: Int) throws(SQLiteError) -> Bool {
        let id = try self.integers("PRAGMA application_id").first ?? 0
        guard id == 0 else { return id == applicationID }
        return try self.integers("SELECT count(*) FROM sqlite_schema") == [0]
    }
}
