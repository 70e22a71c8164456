internal import BrasaCacheFile
internal import BrasaDocuments
internal import BrasaSync

typealias TableStatement = CacheStatement<StorageError>

/// The cache's file, and what it is used for at the time.
final class CacheConnection {
    let file: CacheFile
    /// What the running transaction is for, for errors.
    var operation = StorageOperation.executeQuery

    init(file: String) throws(SQLiteError) {
        self.file = try CacheFile(file)
    }

    func statement(_ sql: String) throws(SQLiteError) -> TableStatement {
        try self.file.statement(sql) { StorageError(self.operation, $0) }
    }

    /// What the file itself is told, not a table.
    func run(_ body: (CacheFile) throws(SQLiteError) -> Void) throws(StorageError) {
        do throws(SQLiteError) { try body(self.file) } catch { throw StorageError(self.operation, error) }
    }

    /// As it is in the file. Nobody reckons with a time that the protocol cannot carry.
    func time(_ microseconds: Int64) throws(StorageError) -> Timestamp {
        let time = Timestamp(microseconds: microseconds)
        guard time >= .earliest, time <= .latest else {
            throw StorageError(self.operation, damaged: "a time")
        }
        return time
    }
}

extension StorageError {
    fileprivate init(_ operation: StorageOperation, _ error: SQLiteError) {
        self.init(operation, reason: "\(error)", cause: error)
    }
}
