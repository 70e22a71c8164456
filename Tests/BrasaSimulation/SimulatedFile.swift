import BrasaPlatform

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

final class SimulatedFile: DiskFile {
    private let disk: SimulatedDisk
    let path: String
    private let inode: Int
    let epoch: Int

    init(disk: SimulatedDisk, path: String, inode: Int, epoch: Int) {
        self.disk = disk
        self.path = path
        self.inode = inode
        self.epoch = epoch
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(DiskError) {
        try self.disk.access(self, .write) { state throws(SimulatedErrno) in
            state.writeCount += 1
            if state.random.chance(state.faults.failedWrites, in: 1_000) { throw SimulatedErrno(number: EIO) }
            try self.checkSpace(&state, size: offset + bytes.count)
            if state.random.chance(state.faults.cutWrites, in: 1_000) {
                let count = Int.random(in: 0...bytes.count, using: &state.random)
                state.inodes[self.inode]?.write(UnsafeRawBufferPointer(rebasing: bytes[..<count]), at: offset)
                throw state.refuseForSpace()
            }
            state.inodes[self.inode]?.write(bytes, at: offset)
        }
    }

    private func checkSpace(_ state: inout SimulatedDiskState, size: Int) throws(SimulatedErrno) {
        guard let capacity = state.faults.capacityBytes else { return }
        let growth = size - (state.inodes[self.inode]?.visible.count ?? 0)
        if growth > 0 && state.usedBytes + growth > capacity { throw state.refuseForSpace() }
    }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(DiskError) -> Int {
        try self.disk.access(self, .read) { state throws(SimulatedErrno) in
            guard let visible = state.inodes[self.inode]?.visible, offset < visible.count else { return 0 }
            var count = min(buffer.count, visible.count - offset)
            if count > 1 && state.random.chance(state.faults.shortReads, in: 1_000) {
                count = Int.random(in: 1..<count, using: &state.random)
            }
            visible.withUnsafeBytes { bytes in
                buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + count]))
            }
            return count
        }
    }

    func size() throws(DiskError) -> Int {
        try self.disk.access(self, .size) { state in state.inodes[self.inode]?.visible.count ?? 0 }
    }

    func allocate(_ bytes: Int) throws(DiskError) {
        try self.disk.access(self, .allocate) { state throws(SimulatedErrno) in
            state.writeCount += 1
            try self.checkSpace(&state, size: bytes)
            if let size = state.inodes[self.inode]?.visible.count, size < bytes {
                state.inodes[self.inode]?.resize(to: bytes)
            }
        }
    }

    func truncate(to bytes: Int) throws(DiskError) {
        try self.disk.access(self, .truncate) { state in state.inodes[self.inode]?.resize(to: bytes) }
    }

    func syncData() throws(DiskError) {
        let microseconds = try self.disk.access(self, .sync) { state throws(SimulatedErrno) -> Int64 in
            if state.random.chance(state.faults.failedSyncs, in: 1_000) {
                state.inodes[self.inode]?.forgetUnsynced(&state.random)
                throw SimulatedErrno(number: state.faults.failedSyncNumber)
            }
            state.syncedBytesMax = max(state.syncedBytesMax, state.inodes[self.inode]?.unsyncedBytes ?? 0)
            state.inodes[self.inode]?.sync()
            let isSlow = state.random.chance(state.faults.slowSyncs, in: 1_000)
            return Int64.random(in: 50...(isSlow ? 1_000_000 : 500), using: &state.random)
        }
        self.disk.passTimeOfSync(microseconds)
    }

    func close() {}
}
