extension OrderedMapNode {
    /// Whether a child that is a full leaf gave something to the one before it.
    func shareLeaf(_ index: Int) -> Bool {
        guard index > 0, self.children[index].values.count == Self.entriesMax else { return false }
        let count = self.children[index - 1].values.count
        guard count <= Self.entriesMax - Self.entriesShared else { return false }
        self.balanceLeaves(index - 1, (count + Self.entriesMax) / 2)
        return true
    }

    /// Moves values between a leaf and the one after it until the first has `count`. What stays in the one that gets is not
    /// touched, since values are references and most of what they refer to is in no cache; what stays in the one that gives is
    /// copied, since it would keep the room of all.
    func balanceLeaves(_ left: Int, _ count: Int) {
        let (first, second) = (self.children[left], self.children[left + 1])
        let moved = count - first.values.count
        if moved > 0 {
            first.values.makeRoom(for: moved, spare: 0)
            first.values.append(contentsOf: second.values[..<moved])
            second.values = Array(second.values[moved...])
        } else {
            second.values.makeRoom(for: -moved, spare: 0)
            second.values.insert(contentsOf: first.values[count...], at: 0)
            first.values = Array(first.values[..<count])
        }
        self.separators[left] = second.values[0].key
    }
}
