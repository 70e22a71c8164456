package import BrasaCacheFile
package import BrasaDocuments
package import BrasaSync

/// The cache of a client on disk: one SQLite file, which one object of one process has open at a time. Used on the
/// engine's executor only, which waits for the disk.
package final class DiskStorage: SyncStorage {
    package let viewReferences = ReferenceSet()
    package var sizeWatch: SizeWatch?
    /// Nil after `close`.
    private(set) var open: (connection: CacheConnection, tables: DiskTables)?

    /// Makes the folder, and the file, when there are none.
    package init(folder: String, database: DatabaseName) throws(DiskStorageError) {
        try CacheFolder(folder).make()
        let connection = try DiskStorageError.wrapping(folder) { () throws(SQLiteError) in
            try CacheConnection(file: CacheFolder(folder).file)
        }
        try CacheSchema.migrate(connection, folder: folder)
        let tables = try DiskStorageError.wrapping(folder) { () throws(SQLiteError) in
            try DiskTables(connection, database)
        }
        self.open = (connection, tables)
    }

    /// Takes the cache away, with the writes that are queued in it, damaged or not. Refused while it is open.
    package static func remove(folder: String) throws(DiskStorageError) {
        try CacheFolder(folder).remove()
    }

    /// Transactions fail from now on; the file can be opened again.
    package func close() {
        self.open = nil
    }

    package func transaction<Result>(
        _ operation: StorageOperation,
        _ body: (any StorageTables) throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        try self.run(operation) { tables throws(StorageError) in try body(tables) }
    }

    package func collectGarbage(
        _ limits: CollectionLimits,
        active: Set<TargetID>
    ) throws(StorageError) -> CollectionOutcome {
        try self.run(.collectGarbage) { tables throws(StorageError) in
            try tables.collect(limits, active: active, keeping: self.viewReferences)
        }
    }

    private func run<Output>(
        _ operation: StorageOperation,
        _ body: (DiskTables) throws(StorageError) -> Output
    ) throws(StorageError) -> Output {
        guard let (connection, tables) = self.open else {
            throw StorageError(operation, reason: "the cache is closed")
        }
        connection.operation = operation
        try connection.run { file throws(SQLiteError) in try file.setSynced(operation.isDurable) }
        try tables.begin()
        var isLarge = false
        let output: Output
        do throws(StorageError) {
            output = try body(tables)
            if let watch = self.sizeWatch, tables.hasChanges {
                isLarge = try tables.usedBytes() >= watch.bytesMax
            }
            try tables.commit()
        } catch {
            tables.rollBack()
            throw error
        }
        if isLarge { self.sizeWatch?.exceeded() }
        return output
    }
}
