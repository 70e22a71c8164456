import BrasaDocuments

/// Finds a document's chain by its path: open addressing with linear probing over parts that grow one by one, so that no
/// commit pays for moving a whole shard's table.
struct ChainTable {
    private var parts: [Part] = Array(repeating: Part(), count: Self.partCount)

    private static let partCount = 64

    private static func part(_ hash: UInt32) -> Int { Int(hash >> 26) }

    func find(_ path: ResourcePath, hash: UInt32) -> DocumentChain? {
        let part = Self.part(hash)
        guard let index = self.parts[part].index(of: path, hash: hash) else { return nil }
        return self.parts[part].slots[index]
    }

    /// The path must not be in the table.
    mutating func insert(_ chain: DocumentChain) {
        self.parts[Self.part(chain.hash)].insert(chain)
    }

    mutating func remove(_ path: ResourcePath, hash: UInt32) {
        self.parts[Self.part(hash)].remove(path, hash: hash)
    }

    /// `slots.count` is zero or a power of two, and at least a quarter of the slots are empty.
    private struct Part {
        var slots: [DocumentChain?] = []
        var count = 0

        private var mask: Int { self.slots.count - 1 }

        func index(of path: ResourcePath, hash: UInt32) -> Int? {
            guard !self.slots.isEmpty else { return nil }
            var index = Int(hash) & self.mask
            while let chain = self.slots[index] {
                if chain.hash == hash, chain.path == path { return index }
                index = (index + 1) & self.mask
            }
            return nil
        }

        mutating func insert(_ chain: DocumentChain) {
            if (self.count + 1) * 4 > self.slots.count * 3 { self.grow() }
            self.place(chain)
            self.count += 1
        }

        private mutating func place(_ chain: DocumentChain) {
            var index = Int(chain.hash) & self.mask
            while self.slots[index] != nil { index = (index + 1) & self.mask }
            self.slots[index] = chain
        }

        private mutating func grow() {
            self.resize(to: max(4, self.slots.count * 2))
        }

        private mutating func resize(to count: Int) {
            let before = self.slots
            self.slots = Array(repeating: nil, count: count)
            for case let chain? in before { self.place(chain) }
        }

        /// Closes the gap by moving back what had to go past it, so that probing needs no marks for removed entries.
        mutating func remove(_ path: ResourcePath, hash: UInt32) {
            guard var gap = self.index(of: path, hash: hash) else { return }
            var index = gap
            self.slots[gap] = nil
            self.count -= 1
            while true {
                index = (index + 1) & self.mask
                guard let chain = self.slots[index] else { break }
                let home = Int(chain.hash) & self.mask
                if (index - home) & self.mask >= (index - gap) & self.mask {
                    self.slots[gap] = chain
                    self.slots[index] = nil
                    gap = index
                }
            }
            if self.slots.count > 16, self.count * 8 < self.slots.count { self.resize(to: self.slots.count / 2) }
        }
    }
}
