/// What children are ordered by, apart from their keys: nothing, false, true, numbers, strings, and nodes with children,
/// which are all equal. The order of priorities is a part of it.
package enum IndexValue: Hashable, Sendable {
    case absent
    case scalar(TreeScalar)
    case inner

    package init(_ node: TreeNode) {
        switch node {
        case .absent: self = .absent
        case .leaf(let scalar): self = .scalar(scalar)
        case .prioritizedLeaf(let leaf): self = .scalar(leaf.scalar)
        case .inner: self = .inner
        }
    }

    package init(_ priority: TreePriority) {
        self = priority.scalar.map(IndexValue.scalar) ?? .absent
    }

    static func compare(_ left: IndexValue, _ right: IndexValue) -> Int {
        switch (left, right) {
        case (.scalar(let left), .scalar(let right)): TreeScalar.compare(left, right)
        default: left.rank - right.rank
        }
    }

    private var rank: Int {
        switch self {
        case .absent: 0
        case .scalar: 1
        case .inner: 2
        }
    }
}

extension IndexValue: Comparable {
    package static func < (left: IndexValue, right: IndexValue) -> Bool { self.compare(left, right) < 0 }
}
