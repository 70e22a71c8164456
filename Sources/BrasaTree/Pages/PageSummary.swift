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

    init(_ children: [TreeNode], keyBytes: Int) {
        self.children = children.count
        self.nodes = children.count
        self.estimate = keyBytes + 4 * children.count
        self.height = children.isEmpty ? 0 : 1
        for child in children {
            self.estimate += child.estimate
            switch child {
            case .absent, .leaf: break
            case .prioritizedLeaf:
                self.hasChildPriorities = true
                self.hasPriorities = true
            case .inner(let node):
                let beneath = node.root.summary
                self.nodes += beneath.nodes
                self.height = max(self.height, beneath.height + 1)
                if !node.root.priority.isNone { self.hasChildPriorities = true }
                if self.hasChildPriorities || beneath.hasPriorities { self.hasPriorities = true }
            }
        }
    }

    init(_ pages: [Page]) {
        for page in pages {
            self.children += page.summary.children
            self.nodes += page.summary.nodes
            self.estimate += page.summary.estimate
            self.height = max(self.height, page.summary.height)
            self.hasChildPriorities = self.hasChildPriorities || page.summary.hasChildPriorities
            self.hasPriorities = self.hasPriorities || page.summary.hasPriorities
        }
    }
}
