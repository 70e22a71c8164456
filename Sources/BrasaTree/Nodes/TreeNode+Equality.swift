extension TreeNode: Equatable {
    /// By value and priority, all the way down. What both versions share is not walked, nor is anything recursed into.
    package static func == (left: TreeNode, right: TreeNode) -> Bool {
        if left.isSame(as: right) { return true }
        var pending = [(left, right)]
        while let (left, right) = pending.popLast() {
            if left.isSame(as: right) { continue }
            guard let old = left.root, let new = right.root, old.priority == new.priority,
                old.summary.children == new.summary.children, old.summary.nodes == new.summary.nodes,
                old.summary.estimate == new.summary.estimate
            else { return false }
            for difference in ChildDifference(left, right) {
                guard case .inner = difference.old, case .inner = difference.new else { return false }
                pending.append((difference.old, difference.new))
            }
        }
        return true
    }
}
