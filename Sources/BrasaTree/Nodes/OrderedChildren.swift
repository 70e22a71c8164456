/// A node's children one by one: in key order, or in the order of priorities where some have one.
struct OrderedChildren: IteratorProtocol {
    private var cursor: PageCursor
    private var sorted: [(key: TreeKey, node: TreeNode)]?
    private var index = 0

    init(_ root: Page, byPriority: Bool) {
        self.cursor = PageCursor(first: root)
        guard byPriority, root.summary.hasChildPriorities else { return }
        // Children come in key order, which the sort, being stable, keeps among equal priorities.
        self.sorted = TreeChildren(root: root).sorted {
            IndexValue($0.node.priority) < IndexValue($1.node.priority)
        }
    }

    mutating func next() -> (key: [UInt8], node: TreeNode)? {
        if let sorted = self.sorted {
            guard self.index < sorted.count else { return nil }
            defer { self.index += 1 }
            return (sorted[self.index].key.utf8, sorted[self.index].node)
        }
        guard let node = self.cursor.node else { return nil }
        defer { self.cursor.advance() }
        return (self.cursor.withKey { Array($0) }, node)
    }
}
