package import BrasaPlatform
import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A disk in memory that treats unsynced data as badly as a real one may: at a crash each unsynced sector survives or
/// not or is torn, names that no folder sync made stable come and go in order, and syncs and writes can be made to fail.
/// All of it follows from the seed.
package final class SimulatedDisk: Disk {
    private let state: Mutex<SimulatedDiskState>
    private let clock: SimulatedClock?

    /// With a clock, syncs take time: usually little, sometimes a second.
    package init(seed: UInt64, faults: SimulatedFaults = SimulatedFaults(), clock: SimulatedClock? = nil) {
        self.state = Mutex(SimulatedDiskState(seed: seed, faults: faults))
        self.clock = clock
    }

    // What the simulation does to the disk

    package var faults: SimulatedFaults {
        get { self.state.withLock { $0.faults } }
        set { self.state.withLock { $0.faults = newValue } }
    }

    /// Whether it has told the program that it is full since it had room for everything.
    package var hasRefusedForSpace: Bool { self.state.withLock { $0.hasRefusedForSpace } }

    /// Power is lost and comes back. Files and locks that were open are useless afterwards.
    package func crash() {
        self.state.withLock { $0.crash() }
    }

    /// The process dies, the machine lives on: everything written stays, synced or not.
    package func killProcess() {
        self.state.withLock { $0.endHandles() }
    }

    package func bytes(_ path: String) -> [UInt8]? {
        self.state.withLock { state in state.names[path].map { state.inodes[$0]?.visible ?? [] } }
    }

    /// Flips bits of a stored byte, stable copy included.
    package func damage(_ path: String, at offset: Int, with mask: UInt8 = 1) {
        self.state.withLock { state in
            guard let inode = state.names[path] else { return }
            state.inodes[inode]?.damage(at: offset, with: mask)
        }
    }

    /// Puts a file there, stable at once.
    package func place(_ bytes: [UInt8], at path: String) {
        self.state.withLock { $0.place(bytes, at: path) }
    }

    /// What all files together take.
    package var usedBytes: Int { self.state.withLock { $0.usedBytes } }

    /// Most that one sync of a file had to write.
    package var syncedBytesMax: Int { self.state.withLock { $0.syncedBytesMax } }

    /// How often files were written to or made longer, or should have been.
    package var writeCount: Int { self.state.withLock { $0.writeCount } }

    package var paths: [String] { self.state.withLock { $0.names.keys.sorted() } }

    // What the disk does for the program

    package func createDirectory(_ path: String) throws(DiskError) {
        self.state.withLock { state in
            var path = Substring(path)
            while !path.isEmpty {
                state.directories.insert(String(path))
                path = path.lastIndex(of: "/").map { path[..<$0] } ?? ""
            }
        }
    }

    package func list(_ directory: String) throws(DiskError) -> [String] {
        let names = self.state.withLock { $0.list(directory) }
        guard let names else { throw DiskError(operation: .list, path: directory, errno: ENOENT) }
        return names
    }

    package func exists(_ path: String) -> Bool {
        self.state.withLock { $0.names[path] != nil || $0.directories.contains(path) }
    }

    package func open(_ path: String, _ mode: DiskOpenMode) throws(DiskError) -> any DiskFile {
        let opened = self.state.withLock { state -> (inode: Int, epoch: Int)? in
            if mode == .create || mode == .createPrivate { state.create(path) }
            return state.names[path].map { ($0, state.epoch) }
        }
        guard let opened else { throw DiskError(operation: .open, path: path, errno: ENOENT) }
        return SimulatedFile(disk: self, path: path, inode: opened.inode, epoch: opened.epoch)
    }

    package func rename(_ path: String, to newPath: String) throws(DiskError) {
        let done = self.state.withLock { $0.change(.rename(path, newPath)) }
        if !done { throw DiskError(operation: .rename, path: path, errno: ENOENT) }
    }

    package func remove(_ path: String) throws(DiskError) {
        let done = self.state.withLock { $0.change(.remove(path)) }
        if !done { throw DiskError(operation: .remove, path: path, errno: ENOENT) }
    }

    package func syncDirectory(_ path: String) throws(DiskError) {
        let number = self.state.withLock { $0.syncNames() }
        if let number { throw DiskError(operation: .syncDirectory, path: path, errno: number) }
    }

    package func lock(_ path: String) throws(DiskLockError) -> any DiskLock {
        let epoch = self.state.withLock { state -> Int? in
            guard state.locks.insert(path).inserted else { return nil }
            if state.names[path] == nil { state.place([], at: path) }
            return state.epoch
        }
        guard let epoch else { throw .held(path: path, process: nil) }
        return SimulatedLock(disk: self, path: path, epoch: epoch)
    }

    // For its files and locks

    func release(_ path: String, epoch: Int) {
        self.state.withLock { if $0.epoch == epoch { $0.locks.remove(path) } }
    }

    /// Runs `body` on the file's state, unless the handle is from before a crash. A number from `body` becomes the error.
    func access<Result>(
        _ file: SimulatedFile,
        _ operation: DiskError.Operation,
        _ body: (inout SimulatedDiskState) throws(SimulatedErrno) -> Result
    ) throws(DiskError) -> Result {
        do {
            return try self.state.withLock { state throws(SimulatedErrno) -> Result in
                if state.epoch != file.epoch { throw SimulatedErrno(number: EBADF) }
                return try body(&state)
            }
        } catch {
            throw DiskError(operation: operation, path: file.path, errno: error.number)
        }
    }

    func passTimeOfSync(_ microseconds: Int64) {
        self.clock?.advance(microseconds: microseconds)
    }
}

struct SimulatedErrno: Error {
    var number: Int32
}

private final class SimulatedLock: DiskLock {
    private let disk: SimulatedDisk
    private let path: String
    private let epoch: Int

    init(disk: SimulatedDisk, path: String, epoch: Int) {
        self.disk = disk
        self.path = path
        self.epoch = epoch
    }

    deinit {
        self.release()
    }

    func release() {
        self.disk.release(self.path, epoch: self.epoch)
    }
}
