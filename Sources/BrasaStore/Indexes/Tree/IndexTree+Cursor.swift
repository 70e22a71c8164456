import BrasaQueries

extension IndexTree {
    /// A place between two entries, for walking either way. Void once the tree changes.
    struct Cursor {
        /// From the root to a leaf: the node and the index of the child below it; in the leaf the index of the entry
        /// after the place, which may be one past the leaf's last.
        private var steps: [(node: IndexNode, index: Int)] = []
        private var leaf: IndexNode
        private var index = 0

        fileprivate init(_ root: IndexNode, _ position: IndexPosition) {
            self.leaf = root
            while !self.leaf.isLeaf {
                // A separator that equals the place: what is right of it comes after the place.
                let index =
                    position.isAfter
                    ? self.leaf.keys.search(position.prefix, isAfter: true) : self.leaf.childIndex(position.prefix)
                self.steps.append((self.leaf, index))
                self.leaf = self.leaf.children[index]
            }
            self.index = self.leaf.keys.search(position.prefix, isAfter: position.isAfter)
        }

        /// The entry after the place; the place moves behind it.
        mutating func next() -> Entry? {
            if self.index == self.leaf.keys.count {
                guard self.moveToNextLeaf() else { return nil }
            }
            defer { self.index += 1 }
            return Entry(leaf: self.leaf, index: self.index)
        }

        /// The entry before the place; the place moves in front of it.
        mutating func previous() -> Entry? {
            if self.index == 0 {
                guard self.moveToPreviousLeaf() else { return nil }
            }
            self.index -= 1
            return Entry(leaf: self.leaf, index: self.index)
        }

        private mutating func moveToNextLeaf() -> Bool {
            guard let depth = self.steps.lastIndex(where: { $0.index + 1 < $0.node.children.count }) else {
                return false
            }
            self.steps.removeSubrange((depth + 1)...)
            self.steps[depth].index += 1
            self.leaf = self.steps[depth].node.children[self.steps[depth].index]
            while !self.leaf.isLeaf {
                self.steps.append((self.leaf, 0))
                self.leaf = self.leaf.children[0]
            }
            self.index = 0
            return true
        }

        private mutating func moveToPreviousLeaf() -> Bool {
            guard let depth = self.steps.lastIndex(where: { $0.index > 0 }) else { return false }
            self.steps.removeSubrange((depth + 1)...)
            self.steps[depth].index -= 1
            self.leaf = self.steps[depth].node.children[self.steps[depth].index]
            while !self.leaf.isLeaf {
                let last = self.leaf.children.count - 1
                self.steps.append((self.leaf, last))
                self.leaf = self.leaf.children[last]
            }
            self.index = self.leaf.keys.count
            return true
        }
    }

    /// An entry where it stands; its key is copied only when asked for.
    struct Entry {
        fileprivate let leaf: IndexNode
        fileprivate let index: Int

        var chain: DocumentChain { self.leaf.chains[self.index] }
        var key: [UInt8] { self.leaf.keys.key(at: self.index) }
        var keyCount: Int { self.leaf.keys.keyCount(at: self.index) }
        var uses: Int { Int(self.leaf.keys.slots[self.index].uses) }

        func isBefore(_ position: IndexPosition) -> Bool { self.leaf.keys.isBefore(position, at: self.index) }
    }

    func cursor(_ position: IndexPosition) -> Cursor { Cursor(self.root, position) }
}
