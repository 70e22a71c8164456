extension TreeNode {
    /// What has to be put in place to make this node of another: the lowest places at which they differ, each whole. What goes
    /// comes after what is new, so that no node is without children in between and loses its priority by that.
    /// Complexity: follows the change, not the node, where both share pages. Recursive, as deep as the node.
    package func placements(from old: TreeNode, at path: TreePath) -> [TreeChange.Placement] {
        let all = self.differences(from: old, at: path)
        return all.filter { !$0.isRemoval } + all.filter(\.isRemoval)
    }

    private func differences(from old: TreeNode, at path: TreePath) -> [TreeChange.Placement] {
        if self.isSame(as: old) { return [] }
        guard self.root != nil, old.root != nil else {
            return [TreeChange.Placement(location: TreeLocation(path), node: self)]
        }
        let below = ChildDifference(old, self).flatMap { $0.new.differences(from: $0.old, at: path.appending($0.key)) }
        guard self.priority != old.priority else { return below }
        let priority = self.priority.scalar.map { TreeNode($0) } ?? .absent
        return below + [TreeChange.Placement(location: TreeLocation(path, isPriority: true), node: priority)]
    }
}

extension TreeChange.Placement {
    fileprivate var isRemoval: Bool { self.node.isAbsent && !self.location.isPriority }
}
