internal import Foundation
internal import GRDB

/// The folder of one cache: nothing is in it but SQLite's file and what SQLite keeps beside it.
struct CacheFolder {
    let path: String

    init(_ path: String) {
        self.path = path
    }

    private static let name = "cache.sqlite"

    var file: String { "\(self.path)/\(Self.name)" }

    /// For nobody but the user: documents are in it.
    func make() throws(DiskStorageError) {
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
            throw DiskStorageError(.inputOutput, folder: self.path, cause: "\(error.localizedDescription)")
        }
        // The name of a new folder is in its parent, and must not be lost when what is in the folder is not. A parent that
        // may not be read has to do without.
        for parent in parents { try? FileHandle(forReadingFrom: parent).synchronize() }
    }

    /// No path has more parts.
    private static let depthMax = 4096

    func remove() throws(DiskStorageError) {
        guard FileManager.default.fileExists(atPath: self.path) else { return }
        try self.checkUnused()
        do {
            for suffix in ["", "-wal", "-shm", "-journal"]
            where FileManager.default.fileExists(atPath: self.file + suffix) {
                try FileManager.default.removeItem(atPath: self.file + suffix)
            }
            // Somebody may have put something else there.
            if try FileManager.default.contentsOfDirectory(atPath: self.path).isEmpty {
                try FileManager.default.removeItem(atPath: self.path)
            }
        } catch {
            throw DiskStorageError(.inputOutput, folder: self.path, cause: "\(error.localizedDescription)")
        }
    }

    /// Opening takes the lock before it finds out about damage, which is no hindrance here.
    private func checkUnused() throws(DiskStorageError) {
        guard FileManager.default.fileExists(atPath: self.file) else { return }
        do throws(DiskStorageError) {
            try DiskStorageError.wrapping(self.path) { () throws(DatabaseError) in
                try CacheConnection(file: self.file).close()
            }
        } catch  where error.code == .inUse {
            throw error
        } catch {}
    }
}
