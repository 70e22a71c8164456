internal import Foundation

/// The folder of one cache: nothing is in it but SQLite's file and what SQLite keeps beside it.
package struct CacheFolder {
    package let path: String

    package init(_ path: String) {
        self.path = path
    }

    private static let name = "cache.sqlite"

    package var file: String { "\(self.path)/\(Self.name)" }

    /// For nobody but the user: documents are in it.
    package func make() throws(DiskStorageError) {
        var folder = URL(filePath: self.path)
        var parents: [URL] = []
        while !FileManager.default.fileExists(atPath: folder.path), parents.count < Self.depthMax {
            folder.deleteLastPathComponent()
            parents.append(folder)
        }
        do {
            try FileManager.default.createDirectory(
                atPath: self.path,
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
        } catch {
            throw DiskStorageError(.inputOutput, folder: self.path, detail: error.localizedDescription, cause: error)
        }
        // The name of a new folder is in its parent, and must not be lost when what is in the folder is not. A parent that
        // may not be read has to do without.
        for parent in parents { try? FileHandle(forReadingFrom: parent).synchronize() }
    }

    /// No path has more parts.
    private static let depthMax = 4096

    /// Nobody else opens the file while it goes: it stays locked until it is gone.
    package func remove() throws(DiskStorageError) {
        guard FileManager.default.fileExists(atPath: self.path) else { return }
        let file = try self.lock()
        do {
            // Locked until here.
            defer { withExtendedLifetime(file) {} }
            // The file last: a log that outlives its file would be taken for the next one's.
            for suffix in ["-wal", "-shm", "-journal", ""]
            where FileManager.default.fileExists(atPath: self.file + suffix) {
                try FileManager.default.removeItem(atPath: self.file + suffix)
            }
        } catch {
            throw DiskStorageError(.inputOutput, folder: self.path, detail: error.localizedDescription, cause: error)
        }
        // Somebody may have put something else there.
        guard rmdir(self.path) != 0, errno != ENOTEMPTY, errno != EEXIST, errno != ENOENT else { return }
        let code = errno
        let cause = POSIXErrorCode(rawValue: code).map { POSIXError($0) }
        throw DiskStorageError(.inputOutput, folder: self.path, detail: String(cString: strerror(code)), cause: cause)
    }

    /// Nil when there is no file, or a damaged one: then there is nothing that anybody could lose.
    private func lock() throws(DiskStorageError) -> CacheFile? {
        guard FileManager.default.fileExists(atPath: self.file) else { return nil }
        do throws(DiskStorageError) {
            return try DiskStorageError.wrapping(self.path) { () throws(SQLiteError) in
                try CacheFile(self.file)
            }
        } catch  where error.code == .damaged {
            return nil
        }
    }
}
