import BrasaPlatform

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// What goes wrong, apart from crashes.
package struct SimulatedFaults: Sendable {
    /// Chance in 1,000 that a write, or a sync, fails.
    package var failedWrites = 0
    package var failedSyncs = 0
    /// How: EIO, if nothing else is said.
    package var failedSyncNumber = EIO
    /// Chance in 1,000 that a sync takes up to a second.
    package var slowSyncs = 0
    /// Chance in 1,000 that a read returns only a part.
    package var shortReads = 0
    /// What all files together may hold; nil: no limit.
    package var capacityBytes: Int?
    /// Chance in 1,000 that a write finds the disk full after a part of it, also where the file has its space already: on
    /// systems that copy on write.
    package var cutWrites = 0

    /// Whether every write finds room.
    package var haveRoom: Bool { self.capacityBytes == nil && self.cutWrites == 0 }

    package init(
        failedWrites: Int = 0,
        failedSyncs: Int = 0,
        slowSyncs: Int = 0,
        shortReads: Int = 0,
        capacityBytes: Int? = nil,
        cutWrites: Int = 0
    ) {
        self.failedWrites = failedWrites
        self.failedSyncs = failedSyncs
        self.slowSyncs = slowSyncs
        self.shortReads = shortReads
        self.capacityBytes = capacityBytes
        self.cutWrites = cutWrites
    }
}

/// Everything behind the disk's lock.
struct SimulatedDiskState {
    enum NameChange {
        case create(String, inode: Int)
        case rename(String, String)
        case remove(String)
    }

    var random: SeededRandom
    var faults: SimulatedFaults {
        didSet { if self.faults.haveRoom { self.hasRefusedForSpace = false } }
    }
    /// A write has found no room since there was room for all.
    private(set) var hasRefusedForSpace = false
    var inodes: [Int: SimulatedInode] = [:]
    /// Names as programs see them, and as the last folder sync left them.
    private(set) var names: [String: Int] = [:]
    private var stableNames: [String: Int] = [:]
    private var unsyncedChanges: [NameChange] = []
    private var nextInode = 0
    var directories: Set<String> = []
    var locks: Set<String> = []
    var syncedBytesMax = 0
    var writeCount = 0
    /// Counts crashes and kills; handles of an earlier epoch are dead.
    private(set) var epoch = 0

    init(seed: UInt64, faults: SimulatedFaults) {
        self.random = SeededRandom(seed: seed)
        self.faults = faults
    }

    /// A write finds no room.
    mutating func refuseForSpace() -> SimulatedErrno {
        self.hasRefusedForSpace = true
        return SimulatedErrno(number: ENOSPC)
    }

    private static func apply(_ change: NameChange, to names: inout [String: Int]) {
        switch change {
        case .create(let path, let inode): names[path] = inode
        case .rename(let path, let newPath):
            if let inode = names.removeValue(forKey: path) { names[newPath] = inode }
        case .remove(let path): names[path] = nil
        }
    }

    mutating func create(_ path: String) {
        if let inode = self.names[path] {
            self.inodes[inode]?.resize(to: 0)
            return
        }
        self.inodes[self.nextInode] = SimulatedInode()
        let change = NameChange.create(path, inode: self.nextInode)
        self.nextInode += 1
        Self.apply(change, to: &self.names)
        self.unsyncedChanges.append(change)
    }

    /// False when the name is not there.
    mutating func change(_ change: NameChange) -> Bool {
        switch change {
        case .rename(let path, _), .remove(let path): if self.names[path] == nil { return false }
        case .create: break
        }
        Self.apply(change, to: &self.names)
        self.unsyncedChanges.append(change)
        self.forgetUnnamed()
        return true
    }

    mutating func place(_ bytes: [UInt8], at path: String) {
        self.create(path)
        if let inode = self.names[path] {
            bytes.withUnsafeBytes { self.inodes[inode]?.write($0, at: 0) }
            self.inodes[inode]?.sync()
            self.stableNames[path] = inode
        }
    }

    func list(_ directory: String) -> [String]? {
        guard self.directories.contains(directory) else { return nil }
        let prefix = directory + "/"
        return self.names.keys.sorted().filter { $0.hasPrefix(prefix) }.map { String($0.dropFirst(prefix.count)) }
            .filter { !$0.contains("/") }
    }

    /// The number of the error, if it fails.
    mutating func syncNames() -> Int32? {
        if self.random.chance(self.faults.failedSyncs, in: 1_000) { return EIO }
        self.stableNames = self.names
        self.unsyncedChanges.removeAll()
        self.forgetUnnamed()
        return nil
    }

    private mutating func forgetUnnamed() {
        if self.unsyncedChanges.isEmpty {
            let named = Set(self.names.values)
            self.inodes = self.inodes.filter { named.contains($0.key) }
        }
    }

    mutating func endHandles() {
        self.epoch += 1
        self.locks.removeAll()
    }

    /// A journal keeps the order of changes to names: some first part of them survives.
    mutating func crash() {
        self.endHandles()
        var names = self.stableNames
        for change in self.unsyncedChanges.prefix(Int.random(in: 0...self.unsyncedChanges.count, using: &self.random)) {
            Self.apply(change, to: &names)
        }
        self.names = names
        self.stableNames = names
        self.unsyncedChanges.removeAll()
        self.forgetUnnamed()
        for inode in self.inodes.keys.sorted() { self.inodes[inode]?.crash(&self.random) }
    }

    var usedBytes: Int { self.inodes.values.reduce(0) { $0 + $1.visible.count } }
}
