/// What a page knows of everything beneath it, so that limits are checked without a walk.
struct PageSummary: Sendable {
    /// Children of the node that the page belongs to.
    var children = 0
    /// Nodes beneath, children of children included.
    var nodes = 0
    /// See `TreeNode.estimate`.
    var estimate = 0
    /// Levels beneath: one for children that are leaves.
    var height = 0
    var hasChildPriorities = false
    /// Anywhere beneath.
    var hasPriorities = false
    /// Whether every child has one.
    var isPrioritizedOnly: Bool
    /// Whether every child has one of a node beneath.
    var hasPrioritizedOnly = false
    /// Whether all keys are indices of an array.
    var hasIndicesOnly: Bool
    /// What the page and everything beneath takes in memory, as `TreeFootprint` counts it, but with what is shared in each
    /// place where it is.
    var bytes: Int

    init(_ children: [TreeNode], _ keys: KeyTable.View) {
        self.bytes = PageSummary.pageBytes(
            entries: children.count * MemoryLayout<TreeNode>.stride,
            keys: 2 + 2 * keys.count + keys.byteCount
        )
        self.children = children.count
        self.nodes = children.count
        self.estimate = keys.byteCount + 4 * children.count
        self.height = children.isEmpty ? 0 : 1
        self.isPrioritizedOnly = true
        self.hasIndicesOnly = (0..<keys.count).allSatisfy { ArrayIndex.value(keys[$0]) != nil }
        for child in children {
            self.estimate += child.estimate
            self.bytes += child.bytes
            switch child {
            case .absent, .leaf: self.isPrioritizedOnly = false
            case .prioritizedLeaf:
                self.hasChildPriorities = true
                self.hasPriorities = true
            case .inner(let node):
                let beneath = node.root.summary
                self.nodes += beneath.nodes
                self.height = max(self.height, beneath.height + 1)
                if node.root.priority.isNone {
                    self.isPrioritizedOnly = false
                } else {
                    self.hasChildPriorities = true
                }
                if self.hasChildPriorities || beneath.hasPriorities { self.hasPriorities = true }
                if beneath.isPrioritizedOnly || beneath.hasPrioritizedOnly { self.hasPrioritizedOnly = true }
            }
        }
    }

    init(_ pages: [Page], keyBytes: Int) {
        self.isPrioritizedOnly = pages.allSatisfy { $0.summary.isPrioritizedOnly }
        self.hasIndicesOnly = pages.allSatisfy { $0.summary.hasIndicesOnly }
        self.bytes = PageSummary.pageBytes(
            entries: pages.count * MemoryLayout<Page>.stride,
            keys: 2 + 2 * pages.count + keyBytes
        )
        for page in pages {
            self.bytes += page.summary.bytes
            self.children += page.summary.children
            self.nodes += page.summary.nodes
            self.estimate += page.summary.estimate
            self.height = max(self.height, page.summary.height)
            self.hasChildPriorities = self.hasChildPriorities || page.summary.hasChildPriorities
            self.hasPriorities = self.hasPriorities || page.summary.hasPriorities
            self.hasPrioritizedOnly = self.hasPrioritizedOnly || page.summary.hasPrioritizedOnly
        }
    }

    /// A page without what is beneath: the object and its two arrays.
    fileprivate static func pageBytes(entries: Int, keys: Int) -> Int {
        Allocation.rounded(Page.objectBytes) + Allocation.ofArray(entries) + Allocation.ofArray(keys)
    }
}

extension TreeNode {
    /// What the node takes in memory, about, with everything beneath it: without a walk, so that what versions share counts
    /// in each of them.
    package var bytes: Int {
        switch self {
        case .absent: 0
        case .leaf(let scalar): scalar.bytes
        case .prioritizedLeaf(let leaf): Allocation.rounded(16 + 2 * 16) + leaf.scalar.bytes + leaf.priority.bytes
        case .inner(let node): node.root.summary.bytes + node.root.priority.bytes + node.root.summary.hashBytes
        }
    }
}

extension PageSummary {
    /// For the hashes that a node keeps once they were asked for: counted from the beginning, since nothing is counted when
    /// they come.
    fileprivate var hashBytes: Int {
        guard self.nodes >= HashText.nodesMin else { return 0 }
        return self.isPrioritizedOnly || self.hasPrioritizedOnly ? 2 * HashText.bytes : HashText.bytes
    }
}

extension TreeScalar {
    fileprivate var bytes: Int {
        guard case .string(let text) = self else { return 0 }
        return text.bytes
    }
}

extension TreePriority {
    fileprivate var bytes: Int {
        guard case .string(let text) = self else { return 0 }
        return text.bytes
    }
}

extension TreeText {
    var bytes: Int { self.utf8.isEmpty ? 0 : Allocation.ofArray(self.utf8.count) }
}

extension Page {
    /// What the page takes without what is beneath.
    var ownBytes: Int {
        let entryBytes =
            switch self.content {
            case .children(let children): children.count * MemoryLayout<TreeNode>.stride
            case .pages(let pages): pages.count * MemoryLayout<Page>.stride
            }
        let keyBytes = self.keys.withView { 2 + 2 * $0.count + $0.byteCount }
        return PageSummary.pageBytes(entries: entryBytes, keys: keyBytes)
    }
}
