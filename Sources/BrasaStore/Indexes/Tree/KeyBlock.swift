import BrasaDocuments

/// Keys of one node in ascending order: what all of them begin with once, then the rest of each, one after the other. A
/// search runs over the slots, which hold the first bytes of each rest, and touches the rests only at the end.
///
/// Of a leaf's keys the names that they end with are not stored (`KeyNames`); whoever asks for keys has to bring them. The
/// slots have the first bytes of the whole rests all the same, so that a search seldom has to look at a document.
struct KeyBlock {
    struct Slot {
        /// The first four bytes of the whole rest, zeros behind a shorter one.
        var head: UInt32
        /// Where ends what is stored of the rest.
        var end: UInt32
    }

    /// The prefix and the rests.
    private(set) var bytes: [UInt8] = []
    private(set) var prefixCount = 0
    /// How many of the prefix's bytes belong to the names: more than none only if the keys differ in nothing but their names,
    /// since what stands before a name is never the beginning of what stands before another.
    private(set) var prefixNameCount = 0
    private(set) var slots: [Slot] = []

    init() {}

    /// `nameCount`: how many bytes at its end are the name.
    init(_ key: [UInt8], nameCount: Int = 0) {
        self.bytes = key
        self.prefixCount = key.count
        self.prefixNameCount = nameCount
        self.slots = [Slot(head: 0, end: UInt32(truncatingIfNeeded: key.count))]
    }

    var count: Int { self.slots.count }

    /// What the block takes beside its own fields, about.
    var footprint: Int { self.bytes.capacity + self.slots.capacity * MemoryLayout<Slot>.stride + 96 }

    /// More than a half of what is used, and than one insertion makes.
    var hasTooMuchRoom: Bool { self.bytes.capacity > self.bytes.count + self.bytes.count / 2 + 2 * Self.spareBytes }

    /// About so much room is made at once, for keys like one that comes.
    private static let spareBytes = 256

    /// What the stored rests take.
    var restBytes: Int { self.bytes.count - self.prefixCount }

    /// What the prefix has of what stands before the names.
    var prefixValueCount: Int { self.prefixCount - self.prefixNameCount }

    /// What they would take with one more key, which may shorten the prefix.
    func restBytes(inserting key: [UInt8], nameCount: Int) -> Int {
        let common = self.commonCount(key)
        let longer = max(self.prefixValueCount - common, 0) * self.count
        return self.restBytes + longer + max(key.count - nameCount - common, 0)
    }

    /// What those in a range would take behind another prefix.
    func restBytes(of range: Range<Int>, behind prefixCount: Int) -> Int {
        range.reduce(0) { $0 + max(self.valueCount(at: $1) - prefixCount, 0) }
    }

    func key(at index: Int, _ names: KeyNames) -> [UInt8] {
        let rest = self.rest(index)
        let name = names.name(index)
        return self.bytes.withUnsafeBytes { bytes in
            let nameCount = max(name.count - self.prefixNameCount, 0)
            let total = self.prefixCount + rest.count + nameCount
            return [UInt8](unsafeUninitializedCapacity: total) { buffer, count in
                let key = UnsafeMutableRawBufferPointer(buffer)
                key.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[..<self.prefixCount]))
                UnsafeMutableRawBufferPointer(rebasing: key[self.prefixCount...])
                    .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[rest]))
                name.withUnsafeBytes { name in
                    UnsafeMutableRawBufferPointer(rebasing: key[(self.prefixCount + rest.count)...])
                        .copyMemory(from: UnsafeRawBufferPointer(rebasing: name.suffix(nameCount)))
                }
                count = total
            }
        }
    }

    /// How many bytes of the key stand before its name.
    func valueCount(at index: Int) -> Int { self.prefixValueCount + self.rest(index).count }

    /// How many of the key's first bytes, so many, are of its name.
    func nameCount(of index: Int, inFirst count: Int) -> Int { max(count - self.valueCount(at: index), 0) }

    /// Where the stored rest stands.
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

    /// `index` is the key's place; `names` are of the keys before the insertion. Complexity: the block's size.
    mutating func insert(_ key: [UInt8], nameCount: Int = 0, at index: Int, _ names: KeyNames) {
        guard self.count > 0 else {
            self = KeyBlock(key, nameCount: nameCount)
            return
        }
        let common = self.commonCount(key)
        if common < self.prefixCount { self = self.copy(0..<self.count, prefixCount: common, names) }
        let place = index == 0 ? self.prefixCount : Int(self.slots[index - 1].end)
        let end = max(key.count - nameCount, common)
        let added = UInt32(truncatingIfNeeded: end - common)
        let head = key.withUnsafeBytes { key in
            let rest = UnsafeRawBufferPointer(rebasing: key[common..<end])
            self.bytes.makeRoom(for: rest.count, spare: min(8 * rest.count, max(self.bytes.count / 8, Self.spareBytes)))
            self.bytes.insert(contentsOf: rest, at: place)
            return Self.head(UnsafeRawBufferPointer(rebasing: key[common...]), padding: 0)
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

    /// Makes the block one without keys whose keys will have this prefix. `nameCount`: how much of it is of their names.
    mutating func begin(prefix: ArraySlice<UInt8>, nameCount: Int, capacity: Int, count: Int) {
        self.bytes.reserveCapacity(capacity)
        self.bytes.append(contentsOf: prefix)
        self.prefixCount = prefix.count
        self.prefixNameCount = nameCount
        self.slots.reserveCapacity(count)
    }

    /// Adds another block's keys, which begin with this one's prefix, at the end.
    mutating func append(_ other: KeyBlock, _ range: Range<Int>, _ names: KeyNames) {
        for index in range {
            let start = self.bytes.count
            self.appendRest(of: other, index)
            let head = other.head(of: index, behind: self.prefixCount, self.bytes[start...], names)
            self.slots.append(Slot(head: head, end: UInt32(truncatingIfNeeded: self.bytes.count)))
        }
    }

    private mutating func appendRest(of other: KeyBlock, _ index: Int) {
        let rest = other.rest(index)
        other.bytes.withUnsafeBytes { bytes in
            if self.prefixCount < other.prefixValueCount {
                self.bytes.append(contentsOf: bytes[self.prefixCount..<other.prefixValueCount])
            }
            let passed = min(max(self.prefixCount - other.prefixCount, 0), rest.count)
            self.bytes.append(contentsOf: bytes[(rest.lowerBound + passed)..<rest.upperBound])
        }
    }

    /// The head of a key's rest behind a prefix of so many bytes. `rest`: what a block with that prefix has of it.
    private func head(
        of index: Int,
        behind prefixCount: Int,
        _ rest: ArraySlice<UInt8>,
        _ names: KeyNames
    ) -> UInt32 {
        if prefixCount == self.prefixCount { return self.slots[index].head }
        guard rest.count < 4, names.scope != nil else { return rest.withUnsafeBytes { Self.head($0, padding: 0) } }
        let passed = self.nameCount(of: index, inFirst: prefixCount)
        return (rest + names.name(index).dropFirst(passed)).withUnsafeBytes { Self.head($0, padding: 0) }
    }

    /// First four bytes as a number.
    static func head(_ rest: UnsafeRawBufferPointer, padding: UInt8) -> UInt32 {
        if rest.count >= 4 { return UInt32(bigEndian: rest.loadUnaligned(as: UInt32.self)) }
        var head: UInt32 = 0
        for index in 0..<4 { head = head << 8 | UInt32(index < rest.count ? rest[index] : padding) }
        return head
    }
}
