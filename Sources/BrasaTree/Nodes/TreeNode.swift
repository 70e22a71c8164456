/// A node of the tree: absent, a leaf, or an inner node with at least one child; each but the first may carry a priority.
/// A value: writes make new versions that share what they do not touch, and keeping an old one costs nothing.
package enum TreeNode: Sendable {
    case absent
    case leaf(TreeScalar)
    /// Leaves with a priority are rare; the others should not pay for it.
    case prioritizedLeaf(PrioritizedLeaf)
    case inner(InnerNode)

    package init(_ scalar: TreeScalar, priority: TreePriority = .none) {
        self = priority.isNone ? .leaf(scalar) : .prioritizedLeaf(PrioritizedLeaf(scalar, priority))
    }

    package var isAbsent: Bool { if case .absent = self { true } else { false } }

    /// What a leaf holds.
    package var scalar: TreeScalar? {
        switch self {
        case .leaf(let scalar): scalar
        case .prioritizedLeaf(let leaf): leaf.scalar
        case .absent, .inner: nil
        }
    }

    package var priority: TreePriority {
        switch self {
        case .absent, .leaf: .none
        case .prioritizedLeaf(let leaf): leaf.priority
        case .inner(let node): node.root.priority
        }
    }

    /// An absent node has none and stays absent.
    package func withPriority(_ priority: TreePriority) -> TreeNode {
        switch self {
        case .absent: return .absent
        case .leaf(let scalar): return TreeNode(scalar, priority: priority)
        case .prioritizedLeaf(let leaf): return TreeNode(leaf.scalar, priority: priority)
        case .inner(let node):
            return node.root.priority == priority ? self : .inner(InnerNode(Page(node.root, priority: priority)))
        }
    }

    var root: Page? { if case .inner(let node) = self { node.root } else { nil } }
}

/// A leaf together with its priority.
package final class PrioritizedLeaf: Sendable {
    package let scalar: TreeScalar
    package let priority: TreePriority

    init(_ scalar: TreeScalar, _ priority: TreePriority) {
        self.scalar = scalar
        self.priority = priority
    }
}

/// A node with children.
package struct InnerNode: Sendable {
    let root: Page

    init(_ root: Page) {
        self.root = root
    }
}

extension TreeNode {
    package var childCount: Int { self.root?.summary.children ?? 0 }

    /// Itself and all nodes beneath; an absent one does not count.
    package var nodeCount: Int { self.isAbsent ? 0 : 1 + (self.root?.summary.nodes ?? 0) }

    /// Levels beneath: none for a leaf.
    package var height: Int { self.root?.summary.height ?? 0 }

    /// Roughly the bytes of its JSON, by the measure with which clients split compound hashes: 8 for a number, 4 for a
    /// boolean and for nothing, 2 more than a string's bytes, 4 more than a child's key, 1 more for an inner node, 24 more
    /// than a priority.
    package var estimate: Int {
        switch self {
        case .absent: 4
        case .leaf(let scalar): scalar.estimate
        case .prioritizedLeaf(let leaf): leaf.scalar.estimate + leaf.priority.estimate
        case .inner(let node): 1 + node.root.summary.estimate + node.root.priority.estimate
        }
    }

    /// Whether a child has a priority, and so children in the order of priorities may not be in the order of keys.
    package var hasChildPriorities: Bool { self.root?.summary.hasChildPriorities ?? false }

    /// Whether it has a priority or a node beneath it has one.
    package var hasPriorities: Bool { !self.priority.isNone || (self.root?.summary.hasPriorities ?? false) }
}
