internal import BrasaSync
internal import GRDB
internal import GRDBSQLite

enum SQLValue {
    case null
    case integer(Int64)
    case blob([UInt8])
}

/// A statement that is compiled once and run often. Not to be run again while its rows are being read.
final class CacheStatement {
    private unowned let connection: CacheConnection
    private let handle: OpaquePointer

    init(_ sql: String, _ connection: CacheConnection, _ database: OpaquePointer) throws(DatabaseError) {
        var handle: OpaquePointer?
        let code = sqlite3_prepare_v3(database, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &handle, nil)
        guard code == SQLITE_OK, let handle else {
            let message = sqlite3_errmsg(database).map { String(cString: $0) }
            throw DatabaseError(resultCode: ResultCode(rawValue: code), message: message, sql: sql)
        }
        self.connection = connection
        self.handle = handle
    }

    deinit {
        sqlite3_finalize(self.handle)
    }

    /// Gives how many rows changed.
    @discardableResult
    func run(_ values: SQLValue...) throws(StorageError) -> Int {
        defer { self.reset() }
        try self.bind(values)
        while try self.step() {}
        return self.connection.changes
    }

    /// The first row, read by the body.
    func first<Output>(
        _ values: SQLValue...,
        read: (CacheRow) throws(StorageError) -> Output
    ) throws(StorageError) -> Output? {
        defer { self.reset() }
        try self.bind(values)
        return try self.step() ? try read(CacheRow(handle: self.handle)) : nil
    }

    func forEach(
        _ values: SQLValue...,
        row: (CacheRow) throws(StorageError) -> Void
    ) throws(StorageError) {
        defer { self.reset() }
        try self.bind(values)
        while try self.step() { try row(CacheRow(handle: self.handle)) }
    }

    func all<Output>(
        _ values: SQLValue...,
        read: (CacheRow) throws(StorageError) -> Output
    ) throws(StorageError) -> [Output] {
        defer { self.reset() }
        try self.bind(values)
        var outputs: [Output] = []
        while try self.step() { outputs.append(try read(CacheRow(handle: self.handle))) }
        return outputs
    }

    private func bind(_ values: [SQLValue]) throws(StorageError) {
        for (offset, value) in values.enumerated() {
            let index = Int32(truncatingIfNeeded: offset + 1)
            let code =
                switch value {
                case .null: sqlite3_bind_null(self.handle, index)
                case .integer(let integer): sqlite3_bind_int64(self.handle, index, integer)
                case .blob(let bytes): self.bind(index, bytes)
                }
            guard code == SQLITE_OK else { throw self.connection.failure() }
        }
    }

    private func bind(_ index: Int32, _ bytes: [UInt8]) -> Int32 {
        // Without a pointer SQLite binds NULL, and an empty array may have none.
        guard !bytes.isEmpty else { return sqlite3_bind_zeroblob(self.handle, index, 0) }
        return bytes.withUnsafeBytes {
            sqlite3_bind_blob64(self.handle, index, $0.baseAddress, UInt64($0.count), Self.copied)
        }
    }

    /// SQLITE_TRANSIENT, a macro: SQLite copies what is bound.
    private static var copied: sqlite3_destructor_type {
        unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    }

    private func step() throws(StorageError) -> Bool {
        switch sqlite3_step(self.handle) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        default: throw self.connection.failure()
        }
    }

    /// Bound values go too: they could be large.
    private func reset() {
        sqlite3_reset(self.handle)
        sqlite3_clear_bindings(self.handle)
    }
}

/// The current row of a statement; not to be kept.
struct CacheRow {
    fileprivate let handle: OpaquePointer

    func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(self.handle, column) }

    func isNull(_ column: Int32) -> Bool { sqlite3_column_type(self.handle, column) == SQLITE_NULL }

    func bytes(_ column: Int32) -> [UInt8] { self.withBytes(column) { Array($0) } }

    /// In place.
    func withBytes<Output>(_ column: Int32, _ body: (UnsafeRawBufferPointer) -> Output) -> Output {
        let start = sqlite3_column_blob(self.handle, column)
        let count = Int(sqlite3_column_bytes(self.handle, column))
        return body(UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count))
    }
}
