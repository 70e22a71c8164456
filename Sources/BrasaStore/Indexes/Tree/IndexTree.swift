/// A B+tree of byte keys of any length. A node holds at most `IndexNode.entriesMax` entries and, where it has more than a
/// few, about `IndexNode.bytesMax` bytes of keys beyond what they all begin with. One that loses entries is joined with a neighbour when both are small;
/// none is empty but the root.
///
/// A key is there once and counts its uses: each version of its document that has it is one.
///
/// A reference type without a guard of its own: whoever owns it guards it. Cursors see the tree as it stands and are void
/// once it changes.
/// Complexity: O(log n) nodes for each function.
final class IndexTree {
    private(set) var root = IndexNode()
    private(set) var count = 0
    /// About what the tree takes in memory.
    private(set) var bytes: Int

    init() {
        self.bytes = self.root.footprint
    }

    /// Whether the key is new.
    @discardableResult
    func insert(_ key: [UInt8], _ chain: DocumentChain) -> Bool {
        var change = IndexNode.Change()
        if let split = self.root.insert(key, chain, isRightEdge: true, &change) {
            let left = self.root
            self.root = IndexNode(separators: KeyBlock(split.separator), children: [left, split.right])
            change.bytes += self.root.footprint
        }
        self.bytes += change.bytes
        self.count += change.entries
        return change.entries > 0
    }

    /// Takes back one `insert`. Whether the key is gone; false too when it was not there.
    @discardableResult
    func remove(_ key: [UInt8]) -> Bool {
        var change = IndexNode.Change()
        self.root.remove(key, &change)
        while !self.root.isLeaf, self.root.children.count <= 1 {
            change.bytes -= self.root.footprint
            if let child = self.root.children.first {
                self.root = child
            } else {
                self.root = IndexNode()
                change.bytes += self.root.footprint
            }
        }
        self.bytes += change.bytes
        self.count += change.entries
        return change.entries < 0
    }
}
