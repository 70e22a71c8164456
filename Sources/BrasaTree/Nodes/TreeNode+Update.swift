extension TreeNode {
    package func child(_ key: TreeKey) -> TreeNode {
        guard let root = self.root else { return .absent }
        return key.text.utf8.withUnsafeBufferPointer { root.child(KeyOrder.Probe($0)) }
    }

    package subscript(path: TreePath) -> TreeNode {
        var node = self
        for key in path.keys {
            guard case .inner = node else { return .absent }
            node = node.child(key)
        }
        return node
    }

    /// With one child replaced. A leaf becomes an inner node and keeps its priority; the last child's removal leaves
    /// nothing; removing below a leaf changes nothing.
    /// Complexity: O(log n) of n children.
    package func setting(_ child: TreeNode, for key: TreeKey) -> TreeNode {
        key.text.utf8.withUnsafeBufferPointer { bytes in
            guard let root = self.root else {
                guard !child.isAbsent else { return self }
                let keys = KeyTable(count: 1, byteCount: bytes.count) { $0.append(bytes) }
                return .inner(InnerNode(Page(keys: keys, children: [child], priority: self.priority)))
            }
            switch root.setting(child, for: KeyOrder.Probe(bytes)) {
            case .unchanged: return self
            case .emptied: return .absent
            case .replaced(let page): return .inner(InnerNode(page.asRoot(root.priority)))
            case .split(let left, let right):
                return .inner(InnerNode(Page(over: [left, right], priority: root.priority)))
            }
        }
    }

    /// With several children replaced, in key order. What is set to absent is removed.
    /// Complexity: O(log n) of n children for each; when they are many, once through all.
    func setting(sorted changes: [(key: TreeKey, node: TreeNode)]) -> TreeNode {
        guard changes.count * 8 > self.childCount, self.root != nil || self.isAbsent else {
            return changes.reduce(self) { $0.setting($1.node, for: $1.key) }
        }
        var merged: [(key: TreeText, node: TreeNode)] = []
        merged.reserveCapacity(self.childCount + changes.count)
        var rest = changes[...]
        for (key, child) in self.children {
            while let next = rest.first, next.key < key { merged.append((rest.removeFirst().key.text, next.node)) }
            if rest.first?.key == key {
                merged.append((key.text, rest.removeFirst().node))
            } else {
                merged.append((key.text, child))
            }
        }
        merged += rest.map { ($0.key.text, $0.node) }
        return TreeNode(sorted: merged.filter { !$0.node.isAbsent }, priority: self.priority)
    }

    /// With the node at a path replaced. Ancestors that lose their last child vanish.
    /// Complexity: O(depth · log n), n children at each level.
    package func setting(_ node: TreeNode, at path: TreePath) -> TreeNode {
        var ancestors: [TreeNode] = []
        ancestors.reserveCapacity(path.keys.count)
        var current = self
        for key in path.keys {
            ancestors.append(current)
            current = current.child(key)
        }
        var updated = node
        for (ancestor, key) in zip(ancestors, path.keys).reversed() { updated = ancestor.setting(updated, for: key) }
        return updated
    }

    /// With another priority at a path; nothing changes where there is no node.
    package func settingPriority(_ priority: TreePriority, at path: TreePath) -> TreeNode {
        let node = self[path]
        return node.isAbsent ? self : self.setting(node.withPriority(priority), at: path)
    }

    /// Equal without a look at what is beneath.
    package func isSame(as other: TreeNode) -> Bool {
        switch (self, other) {
        case (.absent, .absent): true
        case (.leaf(let left), .leaf(let right)): left == right
        case (.prioritizedLeaf(let left), .prioritizedLeaf(let right)):
            left.scalar == right.scalar && left.priority == right.priority
        case (.inner(let left), .inner(let right)): left.root === right.root
        default: false
        }
    }
}

extension Page {
    /// As a node's root: no fork over a single page, and with the node's priority.
    fileprivate func asRoot(_ priority: TreePriority) -> Page {
        var page = self
        while case .pages(let pages) = page.content, pages.count == 1 { page = pages[0] }
        return page.priority == priority ? page : Page(page, priority: priority)
    }
}
