package import BrasaPlatform

/// A disk that does on another one what it does not do itself: `open` is left to it.
package protocol ForwardingDisk: Disk {
    var base: any Disk { get }
}

extension ForwardingDisk {
    package func createDirectory(_ path: String) throws(DiskError) { try self.base.createDirectory(path) }
    package func list(_ directory: String) throws(DiskError) -> [String] { try self.base.list(directory) }
    package func exists(_ path: String) -> Bool { self.base.exists(path) }
    package func rename(_ path: String, to newPath: String) throws(DiskError) {
        try self.base.rename(path, to: newPath)
    }
    package func remove(_ path: String) throws(DiskError) { try self.base.remove(path) }
    package func syncDirectory(_ path: String) throws(DiskError) { try self.base.syncDirectory(path) }
    package func lock(_ path: String) throws(DiskLockError) -> any DiskLock { try self.base.lock(path) }
}

/// The same of an open file.
package protocol ForwardingFile: DiskFile {
    var base: any DiskFile { get }
}

extension ForwardingFile {
    package func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(DiskError) {
        try self.base.write(bytes, at: offset)
    }
    package func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(DiskError) -> Int {
        try self.base.read(into: buffer, at: offset)
    }
    package func size() throws(DiskError) -> Int { try self.base.size() }
    package func allocate(_ bytes: Int) throws(DiskError) { try self.base.allocate(bytes) }
    package func truncate(to bytes: Int) throws(DiskError) { try self.base.truncate(to: bytes) }
    package func syncData() throws(DiskError) { try self.base.syncData() }
    package func close() { self.base.close() }
}
