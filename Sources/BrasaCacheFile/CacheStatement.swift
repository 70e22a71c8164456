internal import CBrasaSQLite

package enum SQLValue {
    case null
    case integer(Int64)
    case blob([UInt8])
}

/// A statement that is compiled once and run often. Not to be run again while its rows are being read.
package final class CacheStatement<Failure: Error> {
    private let file: CacheFile
    private let handle: OpaquePointer
    /// Makes of SQLite's errors what everything around throws.
    private let failing: (SQLiteError) -> Failure

    init(_ sql: String, _ file: CacheFile, failing: @escaping (SQLiteError) -> Failure) throws(SQLiteError) {
        var handle: OpaquePointer?
        let code = sqlite3_prepare_v3(file.handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &handle, nil)
        guard code == SQLITE_OK, let handle else { throw file.failure() }
        (self.file, self.handle, self.failing) = (file, handle, failing)
    }

    deinit {
        sqlite3_finalize(self.handle)
    }

    /// Gives how many rows changed.
    @discardableResult
    package func run(_ values: SQLValue...) throws(Failure) -> Int {
        defer { self.reset() }
        try self.bind(values)
        while try self.step() {}
        return self.file.changes
    }

    /// The first row, read by the body.
    package func first<Output>(
        _ values: SQLValue...,
        read: (CacheRow) throws(Failure) -> Output
    ) throws(Failure) -> Output? {
        defer { self.reset() }
        try self.bind(values)
        return try self.step() ? try read(CacheRow(handle: self.handle)) : nil
    }

    package func forEach(_ values: SQLValue..., row: (CacheRow) throws(Failure) -> Void) throws(Failure) {
        defer { self.reset() }
        try self.bind(values)
        while try self.step() { try row(CacheRow(handle: self.handle)) }
    }

    package func all<Output>(
        _ values: SQLValue...,
        read: (CacheRow) throws(Failure) -> Output
    ) throws(Failure) -> [Output] {
        defer { self.reset() }
        try self.bind(values)
        var outputs: [Output] = []
        while try self.step() { outputs.append(try read(CacheRow(handle: self.handle))) }
        return outputs
    }

    private func bind(_ values: [SQLValue]) throws(Failure) {
        for (offset, value) in values.enumerated() {
            let index = Int32(truncatingIfNeeded: offset + 1)
            let code =
                switch value {
                case .null: sqlite3_bind_null(self.handle, index)
                case .integer(let integer): sqlite3_bind_int64(self.handle, index, integer)
                case .blob(let bytes): self.bind(index, bytes)
                }
            guard code == SQLITE_OK else { throw self.failing(self.file.failure()) }
        }
    }

    private func bind(_ index: Int32, _ bytes: [UInt8]) -> Int32 {
        // Without a pointer SQLite binds NULL, and an empty array may have none.
        guard !bytes.isEmpty else { return sqlite3_bind_zeroblob(self.handle, index, 0) }
        return bytes.withUnsafeBytes {
            brasa_sqlite_bind_copy(self.handle, index, $0.baseAddress, UInt64($0.count))
        }
    }

    private func step() throws(Failure) -> Bool {
        switch sqlite3_step(self.handle) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        default: throw self.failing(self.file.failure())
        }
    }

    /// Bound values go too: they could be large.
    private func reset() {
        sqlite3_reset(self.handle)
        sqlite3_clear_bindings(self.handle)
    }
}

/// The current row of a statement; not to be kept.
package struct CacheRow {
    fileprivate let handle: OpaquePointer

    package func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(self.handle, column) }

    package func isNull(_ column: Int32) -> Bool { sqlite3_column_type(self.handle, column) == SQLITE_NULL }

    package func bytes(_ column: Int32) -> [UInt8] { self.withBytes(column) { Array($0) } }

    /// In place.
    package func withBytes<Output>(_ column: Int32, _ body: (UnsafeRawBufferPointer) -> Output) -> Output {
        let start = sqlite3_column_blob(self.handle, column)
        let count = Int(sqlite3_column_bytes(self.handle, column))
        return body(UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count))
    }

    // MARK: Where a file could hold something else

    package func integerIfStored(_ column: Int32) -> Int64? {
        sqlite3_column_type(self.handle, column) == SQLITE_INTEGER ? self.integer(column) : nil
    }

    package func bytesIfStored(_ column: Int32) -> [UInt8]? {
        sqlite3_column_type(self.handle, column) == SQLITE_BLOB ? self.bytes(column) : nil
    }
}
