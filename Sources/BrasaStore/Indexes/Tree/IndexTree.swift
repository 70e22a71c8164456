import BrasaDocuments
import BrasaQueries

/// A B+tree of byte keys of any length. A node holds at most `IndexNode.entriesMax` entries and, where it has more than a
/// few, about `IndexNode.bytesMax` bytes of keys beyond what they all begin with and what names end them. One that loses entries is joined with a
/// neighbour when both are small; none is empty but the root.
///
/// A tree of keys that ended (`SupersededKeys`) has the time at which each did; one of current keys has no times.
///
/// A reference type without a guard of its own: whoever owns it guards it. Cursors see the tree as it stands and are void
/// once it changes.
/// Complexity: O(log n) nodes for each function.
final class IndexTree {
    private(set) var root: IndexNode
    private(set) var count = 0
    /// About what the tree takes in memory.
    private(set) var bytes: Int
    private let kind: Kind

    enum Kind {
        /// Keys of documents as they are now. With a scope they end with the documents' names, as definitions of it write
        /// them, and leaves store them without. What stands before its name ends by itself in each.
        case current(IndexDefinition.Scope?)
        case ended
    }

    init(_ kind: Kind) {
        self.root = IndexNode(kind)
        self.kind = kind
        self.bytes = self.root.footprint
    }

    /// Whether the key is new; one that is there gets this chain. `endTime` is given in a tree of keys that ended.
    @discardableResult
    func insert(_ key: [UInt8], _ chain: DocumentChain, endTime: Int64? = nil) -> Bool {
        var change = IndexNode.Change()
        let value = IndexNode.Value(chain: chain, endTime: endTime, nameCount: self.nameCount(key, of: chain.path))
        if let split = self.root.insert(key, value, isRightEdge: true, &change) {
            let left = self.root
            self.root = IndexNode(separators: KeyBlock(split.separator), children: [left, split.right])
            change.bytes += self.root.footprint
        }
        self.bytes += change.bytes
        self.count += change.entries
        return change.entries > 0
    }

    private func nameCount(_ key: [UInt8], of path: ResourcePath) -> Int {
        guard case .current(let scope?) = self.kind else { return 0 }
        let name = KeyNames.name(path, in: scope)
        assert(key.suffix(name.count).elementsEqual(name))
        return name.count
    }

    /// Whether the key was there.
    @discardableResult
    func remove(_ key: [UInt8]) -> Bool {
        var change = IndexNode.Change()
        self.root.remove(key, &change)
        while !self.root.isLeaf, self.root.children.count <= 1 {
            change.bytes -= self.root.footprint
            if let child = self.root.children.first {
                self.root = child
            } else {
                self.root = IndexNode(self.kind)
                change.bytes += self.root.footprint
            }
        }
        self.bytes += change.bytes
        self.count += change.entries
        return change.entries < 0
    }
}
