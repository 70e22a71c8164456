/// A node's children in key order.
package struct TreeChildren: Sequence, Sendable {
    let root: Page?

    package struct Iterator: IteratorProtocol {
        var cursor: PageCursor?
        let isForward: Bool

        package mutating func next() -> (key: TreeKey, node: TreeNode)? {
            guard let node = self.cursor?.node, let key = self.cursor?.key else { return nil }
            if self.isForward { self.cursor?.advance() } else { self.cursor?.retreat() }
            return (key, node)
        }
    }

    package func makeIterator() -> Iterator {
        Iterator(cursor: self.root.map { PageCursor(first: $0) }, isForward: true)
    }

    /// From the last to the first.
    package var backwards: IteratorSequence<Iterator> {
        IteratorSequence(Iterator(cursor: self.root.map { PageCursor(last: $0) }, isForward: false))
    }

    /// From the first child that is not before the key.
    package func from(_ key: TreeKey) -> IteratorSequence<Iterator> { self.from(text: key.text) }

    /// The same for a text that need not be a key.
    func from(text: TreeText) -> IteratorSequence<Iterator> {
        let cursor = self.root.map { root in
            text.utf8.withUnsafeBufferPointer { PageCursor(root, notBefore: KeyOrder.Probe($0)) }
        }
        return IteratorSequence(Iterator(cursor: cursor, isForward: true))
    }

    package var underestimatedCount: Int { self.root?.summary.children ?? 0 }
}

extension TreeNode {
    package var children: TreeChildren { TreeChildren(root: self.root) }

    /// In key order, without a copy of each key.
    package func forEachChild(_ body: (UnsafeBufferPointer<UInt8>, TreeNode) -> Void) {
        guard var cursor = self.root.map({ PageCursor(first: $0) }) else { return }
        while let node = cursor.node {
            cursor.withKey { body($0, node) }
            cursor.advance()
        }
    }

    /// An inner node of children in any order; of equal keys the last counts, and absent ones are left out.
    package init(children: some Sequence<(key: TreeKey, node: TreeNode)>, priority: TreePriority = .none) {
        var last: [TreeKey: TreeNode] = [:]
        for (key, node) in children { last[key] = node }
        let sorted = last.filter { !$0.value.isAbsent }.sorted { $0.key < $1.key }
        self.init(sorted: sorted.map { (key: $0.key.text, node: $0.value) }, priority: priority)
    }

    /// Of present children in key order, without equal keys.
    package init(sorted children: [(key: TreeText, node: TreeNode)], priority: TreePriority = .none) {
        var bytes: [UInt8] = []
        var ends = [0]
        for child in children {
            bytes += child.key.utf8
            ends.append(bytes.count)
        }
        let page = bytes.withUnsafeBufferPointer { bytes in
            Page.build(count: children.count, priority: priority) {
                UnsafeBufferPointer(rebasing: bytes[ends[$0]..<ends[$0 + 1]])
            } _: {
                children[$0].node
            }
        }
        self = page.map { .inner(InnerNode($0)) } ?? .absent
    }
}
