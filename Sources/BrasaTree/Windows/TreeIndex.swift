/// A node's children in one order, which can be asked by rank. A value, as the node is: the next version shares what did
/// not change.
///
/// By key the node itself is the index, and so it is by priority as long as no child has one; other orders keep an entry
/// for each child. An index by priority that once needed entries keeps them when the last priority goes: else one child
/// whose priority comes and goes would have all entries made again each time.
package struct TreeIndex: Sendable {
    package let order: TreeQuery.Order
    package private(set) var node: TreeNode
    /// Nil where key order does, or there are no children.
    private var entries: IndexPage?

    /// Complexity: O(n log n) for n children where an order of its own is needed, else O(1).
    package init(_ order: TreeQuery.Order, of node: TreeNode) {
        self.order = order
        self.node = node
        guard self.needsEntries, node.root != nil else { return }
        self.entries = IndexPage.build(
            node.children.map { IndexEntry(value: order.value(of: $0.node), key: $0.key) }.sorted()
        )
    }

    private var needsEntries: Bool {
        switch self.order {
        case .key: false
        case .priority: self.node.hasChildPriorities
        case .value, .child: true
        }
    }

    /// The index of the next version of the node.
    /// Complexity: O(log n) for each child that changed, besides finding those.
    package func updated(to node: TreeNode) -> TreeIndex {
        var next = self
        next.node = node
        guard node.root != nil else {
            next.entries = nil
            return next
        }
        guard let entries = self.entries else {
            return next.needsEntries ? TreeIndex(self.order, of: node) : next
        }
        var page = entries
        for difference in ChildDifference(self.node, node) {
            let old = difference.old.isAbsent ? nil : self.entry(difference.key, difference.old)
            let new = difference.new.isAbsent ? nil : self.entry(difference.key, difference.new)
            guard old != new else { continue }
            if let old { page = Self.root(page.removing(old)) }
            if let new { page = Self.root(page.inserting(new)) }
        }
        next.entries = page
        return next
    }

    private static func root(_ pages: [IndexPage]) -> IndexPage {
        pages.count > 1 ? IndexPage(pages: pages) : pages.first?.collapsed ?? IndexPage(entries: [])
    }

    package func entry(_ key: TreeKey, _ child: TreeNode) -> IndexEntry {
        IndexEntry(value: self.order.value(of: child), key: key)
    }

    package var count: Int { self.node.childCount }

    /// Whether it has entries of its own.
    package var hasEntries: Bool { self.entries != nil }

    /// The child before which there are `rank` others.
    package func entry(at rank: Int) -> IndexEntry? {
        guard rank >= 0 else { return nil }
        if let entries { return entries.entry(at: rank) }
        guard let root = self.node.root else { return nil }
        let cursor = PageCursor(root, rank: rank)
        return cursor.node.map { self.entry(cursor.key, $0) }
    }

    func members(_ ranks: Range<Int>) -> [(entry: IndexEntry, node: TreeNode)] {
        guard self.entries == nil, let root = self.node.root else {
            return ranks.compactMap { rank in self.entry(at: rank).map { ($0, self.node.child($0.key)) } }
        }
        var cursor = PageCursor(root, rank: ranks.lowerBound)
        return ranks.compactMap { _ in
            guard let node = cursor.node else { return nil }
            defer { cursor.advance() }
            return (self.entry(cursor.key, node), node)
        }
    }

    /// How many children come before the first for which the condition holds; it holds for a suffix of them.
    /// Complexity: O(log n), times O(log n) again where key order does.
    func rank(where isAfter: (IndexEntry) -> Bool) -> Int {
        if let entries { return entries.rank(where: isAfter) }
        var low = 0
        var high = self.count
        while low < high {
            let middle = (low + high) / 2
            guard let entry = self.entry(at: middle) else { break }
            if isAfter(entry) { high = middle } else { low = middle + 1 }
        }
        return low
    }

    /// How many children come before this place.
    package func rank(of entry: IndexEntry) -> Int {
        self.rank { !($0 < entry) }
    }
}
