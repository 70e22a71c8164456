/// The leaves of a tree that is built from below, in ascending order, so that no value has to look for its place: all are
/// full but those that somebody else made, and the last.
struct OrderedMapLeaves<Value: Keyed> {
    private(set) var leaves: [[Value]] = []
    private(set) var count = 0

    var last: Value? { self.leaves.last?.last }

    /// A leaf of its own: some values that are after all that are there, at most `OrderedMapNode.entriesMax`.
    mutating func append(leaf values: [Value]) {
        self.leaves.append(values)
        self.count += values.count
    }

    /// A value that is after all that are there.
    mutating func append(_ value: Value) {
        let size = OrderedMapNode<Value>.entriesMax
        if self.leaves.last.map({ $0.count == size }) ?? true {
            self.leaves.append([])
            // Of trees of one leaf there may be many, which need less.
            if self.leaves.count > 1 { self.leaves[self.leaves.count - 1].reserveCapacity(size) }
        }
        self.leaves[self.leaves.count - 1].append(value)
        self.count += 1
    }

    /// In their order.
    func forEach(_ body: (Value) -> Void) {
        for leaf in self.leaves { for value in leaf { body(value) } }
    }
}

extension OrderedMapLeaves: Sendable where Value: Sendable {}

extension OrderedMap {
    /// Puts values into the empty tree, from below.
    /// Complexity: O(n) in the leaves.
    func fill(_ leaves: consuming OrderedMapLeaves<Value>) {
        precondition(self.isEmpty, "only an empty tree is filled")
        var level = leaves.leaves.map { (first: $0[0].key, node: OrderedMapNode(values: $0)) }
        while level.count > 1 {
            var above: [(first: Value.Key, node: OrderedMapNode<Value>)] = []
            for start in stride(from: 0, to: level.count, by: OrderedMapNode<Value>.entriesMax) {
                let below = level[start..<min(start + OrderedMapNode<Value>.entriesMax, level.count)]
                let node = OrderedMapNode(
                    separators: below.dropFirst().map { $0.first },
                    children: below.map { $0.node }
                )
                above.append((first: level[start].first, node: node))
            }
            level = above
        }
        if let root = level.first { self.replaceRoot(root.node, count: leaves.count) }
    }
}
