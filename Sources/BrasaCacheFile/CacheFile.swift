internal import CBrasaSQLite

/// The SQLite file of one cache, which one object of one process has open at a time. It is closed when this object and all its
/// statements are gone.
///
/// One thread uses it at a time, whoever owns it says which: SQLite takes no lock.
package final class CacheFile {
    let handle: OpaquePointer
    /// Whether commits wait until they are on stable storage.
    private var isSynced = false

    /// Makes the file when there is none.
    package init(_ path: String) throws(SQLiteError) {
        var handle: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
        let code = sqlite3_open_v2(path, &handle, flags, nil)
        guard code == SQLITE_OK, let handle else {
            defer { sqlite3_close_v2(handle) }
            throw SQLiteError(code: code, handle.map { Self.message(of: $0) } ?? "no memory")
        }
        self.handle = handle
        sqlite3_extended_result_codes(handle, 1)
        try self.execute(Self.configuration)
    }

    deinit {
        sqlite3_close_v2(self.handle)
    }

    /// The lock is taken with the first access and kept until the file is closed. The vacuum's mode must be chosen before the
    /// first page is written.
    private static let configuration = """
        PRAGMA locking_mode = EXCLUSIVE;
        PRAGMA auto_vacuum = INCREMENTAL;
        PRAGMA journal_mode = WAL;
        PRAGMA synchronous = NORMAL;
        PRAGMA journal_size_limit = 4194304;
        PRAGMA cache_size = -8192;
        PRAGMA temp_store = MEMORY;
        PRAGMA cell_size_check = ON;
        """

    /// Statements that are run once. Their rows are left.
    package func execute(_ sql: String) throws(SQLiteError) {
        guard sqlite3_exec(self.handle, sql, nil, nil, nil) == SQLITE_OK else { throw self.failure() }
    }

    /// One that is run often.
    /// - Parameter failing: what its user throws where SQLite refuses.
    package func statement<Failure>(
        _ sql: String,
        failing: @escaping (SQLiteError) -> Failure
    ) throws(SQLiteError) -> CacheStatement<Failure> {
        try CacheStatement(sql, self, failing: failing)
    }

    package func statement(_ sql: String) throws(SQLiteError) -> CacheStatement<SQLiteError> {
        try CacheStatement(sql, self) { $0 }
    }

    /// The first column of all rows, of a statement that is run once.
    package func integers(_ sql: String) throws(SQLiteError) -> [Int64] {
        try self.statement(sql).all { $0.integer(0) }
    }

    /// All or nothing of it happens. Not within another.
    package func transaction<Output>(_ body: () throws(SQLiteError) -> Output) throws(SQLiteError) -> Output {
        try self.execute("BEGIN IMMEDIATE")
        do throws(SQLiteError) {
            let output = try body()
            try self.execute("COMMIT")
            return output
        } catch {
            // SQLite may have done it already.
            if self.isInTransaction { try? self.execute("ROLLBACK") }
            throw error
        }
    }

    /// Whether the next commits wait until they are on stable storage, and all before them. Not within a transaction.
    package func setSynced(_ isSynced: Bool) throws(SQLiteError) {
        guard isSynced != self.isSynced else { return }
        // Takes effect when it is compiled, so that it cannot be kept as a statement.
        try self.execute(isSynced ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL")
        self.isSynced = isSynced
    }

    /// Gives free pages at the end of the file back, at most so many.
    package func shrink(pages: Int) throws(SQLiteError) {
        try self.execute("PRAGMA incremental_vacuum(\(pages))")
    }

    package var isInTransaction: Bool { sqlite3_get_autocommit(self.handle) == 0 }
    package var lastInsertedID: Int64 { sqlite3_last_insert_rowid(self.handle) }
    /// Rows that the last statement changed.
    package var changes: Int { Int(sqlite3_changes(self.handle)) }
    /// Rows changed so far.
    package var totalChanges: Int { Int(sqlite3_total_changes(self.handle)) }

    /// What SQLite said last.
    func failure() -> SQLiteError {
        SQLiteError(code: sqlite3_extended_errcode(self.handle), Self.message(of: self.handle))
    }

    private static func message(of handle: OpaquePointer) -> String {
        sqlite3_errmsg(handle).map { String(cString: $0) } ?? ""
    }
}
