/// Folders and files, as a seam: the simulation passes a disk that loses, tears and refuses. Paths use `/`.
package protocol Disk: Sendable {
    /// Creates the folder and its missing parents; one that exists already is no error.
    func createDirectory(_ path: String) throws(DiskError)
    /// As `createDirectory`; nobody but the owner may enter the folder, should it be created.
    func createPrivateDirectory(_ path: String) throws(DiskError)
    /// Names (not paths) of what the folder holds, in no particular order.
    func list(_ directory: String) throws(DiskError) -> [String]
    func exists(_ path: String) -> Bool
    func open(_ path: String, _ mode: DiskOpenMode) throws(DiskError) -> any DiskFile
    /// Replaces `newPath` when it exists. Survives a crash only after `syncDirectory`.
    func rename(_ path: String, to newPath: String) throws(DiskError)
    /// Survives a crash only after `syncDirectory`.
    func remove(_ path: String) throws(DiskError)
    /// Makes the folder's entries (created, renamed, removed names) stable.
    func syncDirectory(_ path: String) throws(DiskError)
    /// Takes the exclusive lock that this file stands for, creating the file, for its owner only; it ends with the value, or the process.
    func lock(_ path: String) throws(DiskLockError) -> any DiskLock
    /// The number of the user whose file or folder this is, when that is not the one that this process runs as.
    func otherOwner(of path: String) throws(DiskError) -> UInt32?
}

extension Disk {
    // A disk without users.
    package func createPrivateDirectory(_ path: String) throws(DiskError) { try self.createDirectory(path) }
    package func otherOwner(of path: String) throws(DiskError) -> UInt32? { nil }
}

package enum DiskOpenMode: Sendable {
    case readOnly
    case readWrite
    /// Read and write; the file is created, or emptied when it exists.
    case create
    /// As `create`; nobody but the owner may read what is created.
    case createPrivate
}

/// One open file. Positions are absolute; there is no shared cursor, so threads may read and write different parts.
package protocol DiskFile: AnyObject, Sendable {
    /// Writes all of `bytes`, or throws.
    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(DiskError)
    /// Reads up to `buffer.count` bytes. May return fewer; 0 only at the end of the file.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(DiskError) -> Int
    func size() throws(DiskError) -> Int
    /// Makes the file at least `bytes` long, new bytes zero, with its blocks written, so that overwriting them and
    /// `syncData` change no metadata. Takes as long as writing that much.
    func allocate(_ bytes: Int) throws(DiskError)
    func truncate(to bytes: Int) throws(DiskError)
    /// Returns when everything written so far, and the size needed to read it back, is on stable storage.
    func syncData() throws(DiskError)
    /// Closing twice is harmless. The last reference closes as well.
    func close()
}

extension DiskFile {
    /// Fills `buffer` unless the file ends before; returns how much was read.
    package func readFully(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(DiskError) -> Int {
        var done = 0
        while done < buffer.count {
            let count = try self.read(
                into: UnsafeMutableRawBufferPointer(rebasing: buffer[done...]),
                at: offset + done
            )
            if count == 0 { break }
            done += count
        }
        return done
    }
}

/// A lock that is held as long as this value lives and is not released.
package protocol DiskLock: AnyObject, Sendable {
    func release()
}

package enum DiskLockError: Error, Sendable, CustomStringConvertible {
    /// Another process (or another holder in this one) has it; its process number if the file tells.
    case held(path: String, process: Int32?)
    case disk(DiskError)

    package var description: String {
        switch self {
        case .held(let path, let process):
            let holder = process.map { "process \($0)" } ?? "another process"
            return "\(path) is locked by \(holder)"
        case .disk(let error): return error.description
        }
    }
}
