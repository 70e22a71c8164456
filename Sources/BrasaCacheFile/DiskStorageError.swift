package import BrasaStatus
internal import CBrasaSQLite

/// Why a cache on disk cannot be opened or removed.
package struct DiskStorageError: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Code: Hashable, Sendable {
        /// Another process has it open, or another object of this one.
        case inUse
        /// What is there is no cache, or a broken one. To remove the folder is the cure; it takes queued writes with it.
        case damaged
        /// A newer version of this software has made it.
        case newer(schema: Int, known: Int)
        case diskFull
        /// The folder cannot be made, read or written.
        case inputOutput
    }

    package let code: Code
    package let folder: String
    /// What SQLite or the system said, or what else is wrong.
    package let detail: String?
    /// SQLite's or the system's error.
    package let cause: FailureCause?

    package init(_ code: Code, folder: String, detail: String? = nil, cause: (any Error)? = nil) {
        self.code = code
        self.folder = folder
        self.detail = detail
        self.cause = cause.map { FailureCause($0) }
    }

    package init(_ error: SQLiteError, folder: String) {
        let code: Code =
            switch error.primaryCode {
            case SQLITE_BUSY, SQLITE_LOCKED: .inUse
            case SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_FORMAT, SQLITE_SCHEMA, SQLITE_ERROR, SQLITE_CONSTRAINT: .damaged
            case SQLITE_FULL: .diskFull
            default: .inputOutput
            }
        self.init(code, folder: folder, detail: "\(error)", cause: error)
    }

    package static func wrapping<Output>(
        _ folder: String,
        _ body: () throws(SQLiteError) -> Output
    ) throws(DiskStorageError) -> Output {
        do throws(SQLiteError) { return try body() } catch { throw DiskStorageError(error, folder: folder) }
    }

    package var description: String {
        let what =
            switch self.code {
            case .inUse:
                "The cache in \(self.folder) is in use by another process, or by another client of this process."
            case .damaged:
                "The cache in \(self.folder) is damaged; to clear the persistence, or remove the folder, cures it, and takes queued writes with it."
            case .newer(let schema, let known):
                "The cache in \(self.folder) was made by a newer version (schema \(schema), this one knows \(known))."
            case .diskFull: "The disk of the cache in \(self.folder) is full."
            case .inputOutput: "The cache in \(self.folder) cannot be read or written."
            }
        return self.detail.map { "\(what) (\($0))" } ?? what
    }
}
