extension OrderedMapNode {
    func remove(_ key: Key) -> Value? {
        guard !self.isLeaf else {
            guard let index = self.valueIndex(of: key) else { return nil }
            defer { self.letRoomGo() }
            return self.values.remove(at: index)
        }
        let index = self.childIndex(for: key)
        guard let removed = self.children[index].remove(key) else { return nil }
        if self.children[index].entryCount < Self.entriesMin { self.refill(index) }
        return removed
    }

    /// Of a leaf that has lost much of what it had. It loses a third before it is copied again, or more than one insertion
    /// makes room for.
    private func letRoomGo() {
        let roomMax = self.values.count + self.values.count / 2 + Self.entriesSpare + 1
        if self.values.capacity > roomMax { self.values = self.values.map { $0 } }
    }

    /// Gives a child that fell below the bound a part of its neighbour's entries, or all of them when both fit one node
    /// with room to spare.
    private func refill(_ index: Int) {
        let left = index > 0 ? index - 1 : index
        guard left + 1 < self.children.count else { return }
        let count = self.children[left].entryCount + self.children[left + 1].entryCount
        if count <= Self.entriesMax - Self.entriesMin {
            self.merge(left)
        } else if self.children[left].isLeaf {
            self.balanceLeaves(left, count / 2)
        } else {
            self.balanceInner(left, count / 2)
        }
    }

    private func merge(_ left: Int) {
        let target = self.children[left]
        let source = self.children.remove(at: left + 1)
        let separator = self.separators.remove(at: left)
        if !target.isLeaf { target.separators.append(separator) }
        target.separators.append(contentsOf: source.separators)
        // By itself an array that grows would have room for twice what it has.
        target.values.makeRoom(for: source.values.count, spare: 0)
        target.values.append(contentsOf: source.values)
        target.children.append(contentsOf: source.children)
    }

    private func balanceInner(_ left: Int, _ middle: Int) {
        let (first, second) = (self.children[left], self.children[left + 1])
        let separators = first.separators + [self.separators[left]] + second.separators
        let children = first.children + second.children
        first.separators = Array(separators[..<(middle - 1)])
        first.children = Array(children[..<middle])
        second.separators = Array(separators[middle...])
        second.children = Array(children[middle...])
        self.separators[left] = separators[middle - 1]
    }
}
