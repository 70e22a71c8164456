import BrasaDocuments

/// Keys of one node in ascending order: what all of them begin with once, then the rest of each, one after the other. A
/// search runs over the slots, which hold the first bytes of each rest, and touches the rests only at the end.
struct KeyBlock {
    struct Slot {
        /// The first four bytes of the rest, zeros behind a shorter one.
        var head: UInt32
        /// Where the rest ends.
        var end: UInt32
    }

    /// The prefix and the rests.
    private(set) var bytes: [UInt8] = []
    private(set) var prefixCount = 0
    private(set) var slots: [Slot] = []

    init() {}

    init(_ key: [UInt8]) {
        self.bytes = key
        self.prefixCount = key.count
        self.slots = [Slot(head: 0, end: UInt32(truncatingIfNeeded: key.count))]
    }

    var count: Int { self.slots.count }

    /// What the block takes beside its own fields, about.
    var footprint: Int { self.bytes.capacity + self.slots.capacity * MemoryLayout<Slot>.stride + 96 }

    /// More than a half of what is used, and than one insertion makes.
    var hasTooMuchRoom: Bool { self.bytes.capacity > self.bytes.count + self.bytes.count / 2 + 2 * Self.spareBytes }

    /// About so much room is made at once, for keys like one that comes.
    private static let spareBytes = 256

    /// What the rests take.
    var restBytes: Int { self.bytes.count - self.prefixCount }

    /// What they would take with one more key, which may shorten the prefix.
    func restBytes(inserting key: [UInt8]) -> Int {
        let common = self.commonCount(key)
        return self.restBytes + (self.prefixCount - common) * self.count + key.count - common
    }

    func key(at index: Int) -> [UInt8] {
        let rest = self.rest(index)
        return self.bytes.withUnsafeBytes { bytes in
            [UInt8](unsafeUninitializedCapacity: self.prefixCount + rest.count) { buffer, count in
                let key = UnsafeMutableRawBufferPointer(buffer)
                key.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[..<self.prefixCount]))
                UnsafeMutableRawBufferPointer(rebasing: key[self.prefixCount...])
                    .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[rest]))
                count = self.prefixCount + rest.count
            }
        }
    }

    func keyCount(at index: Int) -> Int { self.prefixCount + self.rest(index).count }

    func rest(_ index: Int) -> Range<Int> {
        let start = index == 0 ? self.prefixCount : Int(self.slots[index - 1].end)
        return start..<Int(self.slots[index].end)
    }

    /// How many bytes of the prefix the key begins with.
    func commonCount(_ key: [UInt8]) -> Int {
        self.bytes.withUnsafeBytes { bytes in
            key.withUnsafeBytes {
                ByteOrder.firstMismatch(UnsafeRawBufferPointer(rebasing: bytes[..<self.prefixCount]), $0)
            }
        }
    }

    /// `index` is the key's place. Complexity: the block's size.
    mutating func insert(_ key: [UInt8], at index: Int) {
        guard self.count > 0 else {
            self = KeyBlock(key)
            return
        }
        let common = self.commonCount(key)
        if common < self.prefixCount { self.shortenPrefix(to: common) }
        let place = index == 0 ? self.prefixCount : Int(self.slots[index - 1].end)
        let added = UInt32(truncatingIfNeeded: key.count - common)
        let head = key.withUnsafeBytes { rest in
            let rest = UnsafeRawBufferPointer(rebasing: rest[common...])
            self.bytes.makeRoom(for: rest.count, spare: min(8 * rest.count, max(self.bytes.count / 8, Self.spareBytes)))
            self.bytes.insert(contentsOf: rest, at: place)
            return Self.head(rest, padding: 0)
        }
        self.slots.makeRoom()
        self.slots.insert(Slot(head: head, end: UInt32(truncatingIfNeeded: place)), at: index)
        for index in index..<self.slots.count { self.slots[index].end &+= added }
    }

    /// Complexity: the block's size.
    mutating func remove(at index: Int) {
        guard self.count > 1 else {
            self = KeyBlock()
            return
        }
        let rest = self.rest(index)
        let removed = UInt32(truncatingIfNeeded: rest.count)
        self.bytes.removeSubrange(rest)
        self.slots.remove(at: index)
        for index in index..<self.slots.count { self.slots[index].end &-= removed }
    }

    /// Makes the block one without keys whose keys will have this prefix.
    mutating func begin(prefix: ArraySlice<UInt8>, capacity: Int, count: Int) {
        self.bytes.reserveCapacity(capacity)
        self.bytes.append(contentsOf: prefix)
        self.prefixCount = prefix.count
        self.slots.reserveCapacity(count)
    }

    /// Adds another block's keys, which begin with this one's prefix, at the end.
    mutating func append(_ other: KeyBlock, _ range: Range<Int>) {
        other.bytes.withUnsafeBytes { bytes in
            for index in range {
                let rest = other.rest(index)
                let start = self.bytes.count
                if self.prefixCount < other.prefixCount {
                    self.bytes.append(contentsOf: bytes[self.prefixCount..<other.prefixCount])
                    self.bytes.append(contentsOf: bytes[rest])
                } else {
                    self.bytes.append(
                        contentsOf: bytes[(rest.lowerBound + self.prefixCount - other.prefixCount)..<rest.upperBound]
                    )
                }
                let head = self.bytes.withUnsafeBytes {
                    Self.head(UnsafeRawBufferPointer(rebasing: $0[start...]), padding: 0)
                }
                let end = UInt32(truncatingIfNeeded: self.bytes.count)
                self.slots.append(Slot(head: head, end: end))
            }
        }
    }

    private mutating func shortenPrefix(to common: Int) {
        self = self.copy(0..<self.count, prefixCount: common)
    }

    /// First four bytes as a number.
    static func head(_ rest: UnsafeRawBufferPointer, padding: UInt8) -> UInt32 {
        if rest.count >= 4 { return UInt32(bigEndian: rest.loadUnaligned(as: UInt32.self)) }
        var head: UInt32 = 0
        for index in 0..<4 { head = head << 8 | UInt32(index < rest.count ? rest[index] : padding) }
        return head
    }
}
