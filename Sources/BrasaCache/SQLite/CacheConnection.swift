internal import BrasaCacheFile
internal import BrasaDocuments
internal import BrasaSync
internal import GRDB
internal import GRDBSQLite

/// The one connection to the cache's file. GRDB opens and configures it; the statements that run for every document are
/// stepped by `CacheStatement`, in `run` only.
final class CacheConnection {
    let file: CacheFile
    private let handle: OpaquePointer
    /// What the running transaction is for, for errors.
    var operation = StorageOperation.executeQuery
    private var isSynced = false

    init(file: String) throws(DatabaseError) {
        let file = try CacheFile(file, label: "BrasaCache")
        guard let handle = file.queue.writeWithoutTransaction(\.sqliteConnection) else {
            throw DatabaseError(resultCode: .SQLITE_MISUSE)
        }
        (self.file, self.handle) = (file, handle)
    }

    /// Statements must be gone before.
    func close() { self.file.close() }

    func run<Output>(_ body: () throws(StorageError) -> Output) throws(StorageError) -> Output {
        let result: Result<Output, StorageError> = self.file.queue.writeWithoutTransaction { _ in
            do throws(StorageError) { return .success(try body()) } catch { return .failure(error) }
        }
        return try result.get()
    }

    func statement(_ sql: String) throws(DatabaseError) -> CacheStatement {
        try CacheStatement(sql, self, self.handle)
    }

    var isInTransaction: Bool { sqlite3_get_autocommit(self.handle) == 0 }
    var lastInsertedID: Int64 { sqlite3_last_insert_rowid(self.handle) }
    /// Rows that the last statement changed.
    var changes: Int { Int(sqlite3_changes(self.handle)) }
    /// Rows changed so far.
    var totalChanges: Int { Int(sqlite3_total_changes(self.handle)) }

    /// Whether the next commits wait until they are on stable storage, and all before them.
    func setSynced(_ isSynced: Bool) throws(StorageError) {
        guard isSynced != self.isSynced else { return }
        // Takes effect when it is compiled, so that it cannot be kept as a statement.
        try self.execute(isSynced ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL")
        self.isSynced = isSynced
    }

    /// Gives free pages at the end of the file back, at most so many.
    func shrink(pages: Int) throws(StorageError) {
        try self.execute("PRAGMA incremental_vacuum(\(pages))")
    }

    private func execute(_ sql: String) throws(StorageError) {
        guard sqlite3_exec(self.handle, sql, nil, nil, nil) == SQLITE_OK else { throw self.failure() }
    }

    /// As it is in the file. Nobody reckons with a time that the protocol cannot carry.
    func time(_ microseconds: Int64) throws(StorageError) -> Timestamp {
        let time = Timestamp(microseconds: microseconds)
        guard time >= .earliest, time <= .latest else {
            throw StorageError(self.operation, damaged: "a time")
        }
        return time
    }

    /// What SQLite said last.
    func failure() -> StorageError {
        let text = sqlite3_errmsg(self.handle).map { String(cString: $0) } ?? ""
        return StorageError(self.operation, reason: "SQLite \(sqlite3_extended_errcode(self.handle)), \(text)")
    }
}
