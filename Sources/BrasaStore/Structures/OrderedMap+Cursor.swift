extension OrderedMap {
    /// A place between two entries, for walking either way. Void once the map changes.
    struct Cursor {
        /// From the root to a leaf: the node and the index of the child below it; in the leaf the index of the entry
        /// after the place, which may be one past the leaf's last.
        private var steps: [(node: OrderedMapNode<Value>, index: Int)] = []
        private let map: OrderedMap

        fileprivate init(_ map: OrderedMap) {
            self.map = map
            self.steps.reserveCapacity(6)
        }

        /// Stands before the first entry for which `isBefore` fails; `isBefore` holds for a prefix of the entries.
        mutating func seek(_ isBefore: (Value.Key) -> Bool) {
            if let (leaf, index) = self.steps.last, let last = leaf.values.last,
                index < leaf.values.count, isBefore(leaf.values[index].key), !isBefore(last.key)
            {
                self.steps[self.steps.count - 1].index = leaf.firstIndex(from: index + 1, notBefore: isBefore)
                return
            }
            self.steps.removeAll(keepingCapacity: true)
            var node = self.map.root
            while true {
                let index = node.firstIndex(notBefore: isBefore)
                self.steps.append((node, index))
                if node.isLeaf { return }
                node = node.children[index]
            }
        }

        /// The entry after the place; the place moves behind it.
        mutating func next() -> Value? {
            guard var (leaf, index) = self.steps.last else { return nil }
            if index == leaf.values.count {
                guard self.moveToNextLeaf() else { return nil }
                (leaf, index) = self.steps[self.steps.count - 1]
            }
            self.steps[self.steps.count - 1].index = index + 1
            return leaf.values[index]
        }

        /// The entry before the place; the place moves in front of it.
        mutating func previous() -> Value? {
            guard var (leaf, index) = self.steps.last else { return nil }
            if index == 0 {
                guard self.moveToPreviousLeaf() else { return nil }
                (leaf, index) = self.steps[self.steps.count - 1]
            }
            self.steps[self.steps.count - 1].index = index - 1
            return leaf.values[index - 1]
        }

        private mutating func moveToNextLeaf() -> Bool {
            guard let depth = self.steps.dropLast().lastIndex(where: { $0.index + 1 < $0.node.children.count }) else {
                return false
            }
            self.steps.removeSubrange((depth + 1)...)
            self.steps[depth].index += 1
            var node = self.steps[depth].node.children[self.steps[depth].index]
            while !node.isLeaf {
                self.steps.append((node, 0))
                node = node.children[0]
            }
            self.steps.append((node, 0))
            return !node.values.isEmpty
        }

        private mutating func moveToPreviousLeaf() -> Bool {
            guard let depth = self.steps.dropLast().lastIndex(where: { $0.index > 0 }) else { return false }
            self.steps.removeSubrange((depth + 1)...)
            self.steps[depth].index -= 1
            var node = self.steps[depth].node.children[self.steps[depth].index]
            while !node.isLeaf {
                self.steps.append((node, node.children.count - 1))
                node = node.children[node.children.count - 1]
            }
            self.steps.append((node, node.values.count))
            return !node.values.isEmpty
        }
    }

    /// A cursor before the first entry for which `isBefore` fails.
    func cursor(_ isBefore: (Value.Key) -> Bool) -> Cursor {
        var cursor = Cursor(self)
        cursor.seek(isBefore)
        return cursor
    }
}
