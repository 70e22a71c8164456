import BrasaDocuments

/// Finds a document's chain by its path: open addressing with linear probing over parts that grow one by one, so that no
/// commit pays for moving a whole shard's table.
struct ChainTable {
    private var parts: [Part] = Array(repeating: Part(), count: Self.partCount)

    private static let partCount = 64

    private static func part(_ hash: UInt32) -> Int { Int(hash >> 26) }

    var isEmpty: Bool { self.parts.allSatisfy { $0.count == 0 } }

    func find(_ path: ResourcePath, hash: UInt32) -> DocumentChain? {
        let part = Self.part(hash)
        guard let index = self.parts[part].index(of: path, hash: hash) else { return nil }
        return self.parts[part].slots[index]
    }

    /// The path must not be in the table.
    mutating func insert(_ chain: DocumentChain, hash: UInt32) {
        self.parts[Self.part(hash)].insert(chain, hash: hash)
    }

    mutating func remove(_ path: ResourcePath, hash: UInt32) {
        self.parts[Self.part(hash)].remove(path, hash: hash)
    }

    /// The number of slots is zero or a power of two, and at least a quarter of them are empty. Probing goes by tags, so
    /// that it rarely touches another document's memory than the one it looks for.
    private struct Part {
        /// Zero: empty. Else the hash with its top bit set, which is the same for all of a part anyway.
        var tags: [UInt32] = []
        var slots: [DocumentChain?] = []
        var count = 0

        private var mask: Int { self.tags.count - 1 }

        private static func tag(_ hash: UInt32) -> UInt32 { hash | 0x8000_0000 }

        func index(of path: ResourcePath, hash: UInt32) -> Int? {
            guard !self.tags.isEmpty else { return nil }
            let tag = Self.tag(hash)
            var index = Int(tag) & self.mask
            while self.tags[index] != 0 {
                if self.tags[index] == tag, self.slots[index]?.path == path { return index }
                index = (index + 1) & self.mask
            }
            return nil
        }

        mutating func insert(_ chain: DocumentChain, hash: UInt32) {
            if (self.count + 1) * 4 > self.tags.count * 3 { self.resize(to: max(4, self.tags.count * 2)) }
            self.place(chain, tag: Self.tag(hash))
            self.count += 1
        }

        private mutating func place(_ chain: DocumentChain, tag: UInt32) {
            var index = Int(tag) & self.mask
            while self.tags[index] != 0 { index = (index + 1) & self.mask }
            self.tags[index] = tag
            self.slots[index] = chain
        }

        private mutating func resize(to count: Int) {
            let (tags, slots) = (self.tags, self.slots)
            self.tags = Array(repeating: 0, count: count)
            self.slots = Array(repeating: nil, count: count)
            for (tag, slot) in zip(tags, slots) {
                if let chain = slot { self.place(chain, tag: tag) }
            }
        }

        /// Closes the gap by moving back what had to go past it, so that probing needs no marks for removed entries.
        mutating func remove(_ path: ResourcePath, hash: UInt32) {
            guard var gap = self.index(of: path, hash: hash) else { return }
            var index = gap
            self.empty(gap)
            self.count -= 1
            while true {
                index = (index + 1) & self.mask
                guard self.tags[index] != 0 else { break }
                let home = Int(self.tags[index]) & self.mask
                if (index - home) & self.mask >= (index - gap) & self.mask {
                    self.tags[gap] = self.tags[index]
                    self.slots[gap] = self.slots[index]
                    self.empty(index)
                    gap = index
                }
            }
            if self.tags.count > 16, self.count * 8 < self.tags.count { self.resize(to: self.tags.count / 2) }
        }

        private mutating func empty(_ index: Int) {
            self.tags[index] = 0
            self.slots[index] = nil
        }
    }
}
