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

    init(_ children: [TreeNode], _ keys: KeyTable.View) {
        self.children = children.count
        self.nodes = children.count
        self.estimate = keys.byteCount + 4 * children.count
        self.height = children.isEmpty ? 0 : 1
        self.isPrioritizedOnly = true
        self.hasIndicesOnly = (0..<keys.count).allSatisfy { ArrayIndex.value(keys[$0]) != nil }
        for child in children {
            self.estimate += child.estimate
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

    init(_ pages: [Page]) {
        self.isPrioritizedOnly = pages.allSatisfy(\.summary.isPrioritizedOnly)
        self.hasIndicesOnly = pages.allSatisfy(\.summary.hasIndicesOnly)
        for page in pages {
            self.children += page.summary.children
            self.nodes += page.summary.nodes
            self.estimate += page.summary.estimate
            self.height = max(self.height, page.summary.height)
            self.hasChildPriorities = self.hasChildPriorities || page.summary.hasChildPriorities
            self.hasPriorities = self.hasPriorities || page.summary.hasPriorities
            self.hasPrioritizedOnly = self.hasPrioritizedOnly || page.summary.hasPrioritizedOnly
        }
    }
}
