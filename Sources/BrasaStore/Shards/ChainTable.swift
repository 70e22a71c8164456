import BrasaDocuments

/// Finds a document's chain by its path: open addressing with linear probing over parts that grow one by one, so that no
/// commit pays for moving a whole shard's table.
struct ChainTable {
    private var parts: [Part] = Array(repeating: Part(), count: Self.partCount)

    private static let partCount = 64

    private static func part(_ hash: UInt32) -> Int { Int(hash >> 26) }

    var isEmpty: Bool { self.parts.allSatisfy { $0.count == 0 } }
    /// Counted for tests.
    var slotCount: Int { self.parts.reduce(0) { $0 + $1.tags.count } }

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

    /// At least a fifth of the slots are empty, and, but for the smallest parts, at most half of them; how many there are is
    /// one of `SlotCount`. Probing goes by tags, so that it rarely touches another document's memory than the one it looks
    /// for.
    private struct Part {
        /// Zero: empty. Else the hash with its top bit set, which is the same for all of a part anyway.
        var tags: [UInt32] = []
        var slots: [DocumentChain?] = []
        var count = 0

        private static func tag(_ hash: UInt32) -> UInt32 { hash | 0x8000_0000 }

        /// Where probing begins: the bits that differ within a part, as a fraction of the slots.
        private func home(_ tag: UInt32) -> Int {
            Int(truncatingIfNeeded: (UInt64(tag & 0x03ff_ffff) &* UInt64(self.tags.count)) >> 26)
        }

        private func index(after index: Int) -> Int {
            index + 1 == self.tags.count ? 0 : index + 1
        }

        /// How far probing goes from one slot to another.
        private func distance(from start: Int, to end: Int) -> Int {
            end >= start ? end - start : end - start + self.tags.count
        }

        func index(of path: ResourcePath, hash: UInt32) -> Int? {
            guard !self.tags.isEmpty else { return nil }
            let tag = Self.tag(hash)
            var index = self.home(tag)
            while self.tags[index] != 0 {
                if self.tags[index] == tag, self.slots[index]?.path == path { return index }
                index = self.index(after: index)
            }
            return nil
        }

        mutating func insert(_ chain: DocumentChain, hash: UInt32) {
            if (self.count + 1) * 5 > self.tags.count * 4 {
                self.resize(to: SlotCount.fitting(self.tags.count + 1))
            }
            self.place(chain, tag: Self.tag(hash))
            self.count += 1
        }

        private mutating func place(_ chain: consuming DocumentChain, tag: UInt32) {
            var index = self.home(tag)
            while self.tags[index] != 0 { index = self.index(after: index) }
            self.tags[index] = tag
            self.slots[index] = chain
        }

        /// Moves the references, which touches no document's memory: a part grows to twice its size while it is small, and
        /// by a seventh to a half later.
        private mutating func resize(to count: Int) {
            let tags = self.tags
            var slots = self.slots
            self.tags = Array(repeating: 0, count: count)
            self.slots = Array(repeating: nil, count: count)
            for (index, tag) in tags.enumerated() where tag != 0 {
                if let chain = slots[index].take() { self.place(chain, tag: tag) }
            }
        }

        /// Closes the gap by moving back what had to go past it, so that probing needs no marks for removed entries.
        mutating func remove(_ path: ResourcePath, hash: UInt32) {
            guard var gap = self.index(of: path, hash: hash) else { return }
            var index = gap
            self.empty(gap)
            self.count -= 1
            while true {
                index = self.index(after: index)
                guard self.tags[index] != 0 else { break }
                let home = self.home(self.tags[index])
                if self.distance(from: home, to: index) >= self.distance(from: gap, to: index) {
                    self.tags[gap] = self.tags[index]
                    self.slots[gap] = self.slots[index]
                    self.empty(index)
                    gap = index
                }
            }
            if self.tags.count > 16, self.count * 2 < self.tags.count {
                self.resize(to: SlotCount.fitting(self.count * 3 / 2))
            }
        }

        private mutating func empty(_ index: Int) {
            self.tags[index] = 0
            self.slots[index] = nil
        }
    }
}
