import BrasaPlatform

/// One file's bytes: what programs see, and what the platter holds. Guarded by the disk's lock.
struct SimulatedInode {
    /// A write that no sync has made stable.
    private struct Unsynced {
        var offset: Int
        var bytes: [UInt8]
    }

    static let sectorBytes = 512

    private(set) var visible: [UInt8] = []
    private var stable: [UInt8] = []
    private var unsynced: [Unsynced] = []

    /// What a sync would have to write.
    var unsyncedBytes: Int { self.unsynced.reduce(0) { $0 + $1.bytes.count } }

    mutating func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
        Self.put(bytes, at: offset, into: &self.visible)
        self.unsynced.append(Unsynced(offset: offset, bytes: Array(bytes)))
    }

    mutating func resize(to count: Int) {
        Self.resize(&self.visible, to: count)
        // A size travels with the file system's journal rather than with the data: it is never torn.
        Self.resize(&self.stable, to: count)
        self.unsynced.removeAll { $0.offset >= count }
        for index in self.unsynced.indices {
            let rest = count - self.unsynced[index].offset
            if self.unsynced[index].bytes.count > rest { self.unsynced[index].bytes.removeSubrange(rest...) }
        }
    }

    mutating func sync() {
        for write in self.unsynced {
            write.bytes.withUnsafeBytes { Self.put($0, at: write.offset, into: &self.stable) }
        }
        self.unsynced.removeAll()
    }

    /// The kernel gave up on these pages: they stay readable, and no later sync writes them.
    mutating func forgetUnsynced(_ random: inout SeededRandom) {
        self.persistSomeSectors(&random, tearing: false)
        self.unsynced.removeAll()
    }

    /// Power is lost: each sector of each unsynced write is there, or not, or torn.
    mutating func crash(_ random: inout SeededRandom) {
        self.persistSomeSectors(&random, tearing: true)
        self.unsynced.removeAll()
        self.visible = self.stable
    }

    private mutating func persistSomeSectors(_ random: inout SeededRandom, tearing: Bool) {
        // Often everything or nothing arrives; the mixtures are what recovery has to survive.
        let persisted = [0, 0, 1, 5, 9, 10, 10].randomElement(using: &random) ?? 0
        for write in self.unsynced {
            var start = 0
            while start < write.bytes.count {
                let sectorEnd = (write.offset + start) / Self.sectorBytes * Self.sectorBytes + Self.sectorBytes
                let end = min(write.bytes.count, sectorEnd - write.offset)
                if random.chance(persisted, in: 10) {
                    Self.put(write.bytes[start..<end], at: write.offset + start, into: &self.stable)
                } else if tearing && random.chance(1, in: 8) {
                    self.tear(write.bytes[start..<end], at: write.offset + start, &random)
                }
                start = end
            }
        }
    }

    /// The head was in the middle of this sector: a part of it is new, or all of it is unreadable nonsense.
    private mutating func tear(_ bytes: ArraySlice<UInt8>, at offset: Int, _ random: inout SeededRandom) {
        if random.chance(1, in: 2) {
            let count = Int.random(in: 0...bytes.count, using: &random)
            Self.put(bytes.prefix(count), at: offset, into: &self.stable)
        } else {
            let sector = offset / Self.sectorBytes * Self.sectorBytes
            let end = min(max(self.stable.count, offset + bytes.count), sector + Self.sectorBytes)
            let garbage = (sector..<end).map { _ in UInt8.random(in: 0...255, using: &random) }
            Self.put(garbage[...], at: sector, into: &self.stable)
        }
    }

    /// Bytes change on the platter by themselves.
    mutating func damage(at offset: Int, with mask: UInt8) {
        self.visible[offset] ^= mask
        if offset < self.stable.count { self.stable[offset] ^= mask }
    }

    private static func put(_ bytes: UnsafeRawBufferPointer, at offset: Int, into file: inout [UInt8]) {
        if file.count < offset + bytes.count { Self.resize(&file, to: offset + bytes.count) }
        file.withUnsafeMutableBytes { UnsafeMutableRawBufferPointer(rebasing: $0[offset...]).copyMemory(from: bytes) }
    }

    private static func put(_ bytes: ArraySlice<UInt8>, at offset: Int, into file: inout [UInt8]) {
        bytes.withUnsafeBytes { Self.put($0, at: offset, into: &file) }
    }

    private static func resize(_ file: inout [UInt8], to count: Int) {
        if file.count > count {
            file.removeSubrange(count...)
        } else {
            file.append(contentsOf: [UInt8](repeating: 0, count: count - file.count))
        }
    }
}
