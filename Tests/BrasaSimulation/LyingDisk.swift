import BrasaPlatform
import Synchronization

/// A disk of whose syncs every sixth says that it is done and has done nothing. Who builds on it loses what was
/// acknowledged last when a crash comes before the next honest one.
final class LyingDisk: Disk {
    private let base: any Disk
    private let syncs = SyncCounter()

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
        LyingFile(try self.base.open(path, mode), self.syncs)
    }
}

private final class LyingFile: DiskFile {
    private let base: any DiskFile
    private let syncs: SyncCounter

    init(_ base: any DiskFile, _ syncs: SyncCounter) {
        self.base = base
        self.syncs = syncs
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
    func syncData() throws(DiskError) {
        if self.syncs.next() % 6 != 0 { try self.base.syncData() }
    }

    func close() { self.base.close() }
}

private final class SyncCounter: Sendable {
    private let count = Atomic(0)

    func next() -> Int { self.count.wrappingAdd(1, ordering: .relaxed).newValue }
}
