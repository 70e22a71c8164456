import BrasaPlatform

/// A disk whose syncs say that they are done and do nothing. Who builds on it must lose data at the next crash.
final class LyingDisk: Disk {
    private let base: any Disk

    init(_ base: any Disk) {
        self.base = base
    }

    func createDirectory(_ path: String) throws(DiskError) { try self.base.createDirectory(path) }
    func list(_ directory: String) throws(DiskError) -> [String] { try self.base.list(directory) }
    func exists(_ path: String) -> Bool { self.base.exists(path) }
    func rename(_ path: String, to newPath: String) throws(DiskError) { try self.base.rename(path, to: newPath) }
    func remove(_ path: String) throws(DiskError) { try self.base.remove(path) }
    func syncDirectory(_ path: String) throws(DiskError) { try self.base.syncDirectory(path) }
    func lock(_ path: String) throws(DiskLockError) -> any DiskLock { try self.base.lock(path) }

    func open(_ path: String, _ mode: DiskOpenMode) throws(DiskError) -> any DiskFile {
        LyingFile(try self.base.open(path, mode))
    }
}

private final class LyingFile: DiskFile {
    private let base: any DiskFile

    init(_ base: any DiskFile) {
        self.base = base
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(DiskError) {
        try self.base.write(bytes, at: offset)
    }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(DiskError) -> Int {
        try self.base.read(into: buffer, at: offset)
    }

    func size() throws(DiskError) -> Int { try self.base.size() }
    func allocate(_ bytes: Int) throws(DiskError) { try self.base.allocate(bytes) }
    func truncate(to bytes: Int) throws(DiskError) { try self.base.truncate(to: bytes) }
    func syncData() throws(DiskError) {}
    func close() { self.base.close() }
}
