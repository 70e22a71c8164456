/// What a write did: nodes and priorities put in place, without anything left to work out. The same change applied to the
/// same tree gives the same tree, which is what a log needs.
package struct TreeChange: Sendable {
    package struct Placement: Sendable {
        /// From the root.
        package let location: TreeLocation
        /// For a priority, a leaf of it.
        package let node: TreeNode

        package init(location: TreeLocation, node: TreeNode) {
            self.location = location
            self.node = node
        }
    }

    package let path: TreePath
    package let isUpdate: Bool
    package let placements: [Placement]

    package init(path: TreePath, isUpdate: Bool, placements: [Placement]) {
        self.path = path
        self.isUpdate = isUpdate
        self.placements = placements
    }

    /// Complexity: O(depth · log n) for each placement.
    package func applied(to root: TreeNode) -> TreeNode {
        // Priorities last: they are of nodes that other placements may make.
        let root = self.placements.reduce(root) { root, placement in
            placement.location.isPriority ? root : root.setting(placement.node, at: placement.location.path)
        }
        return self.placements.reduce(root) { root, placement in
            guard placement.location.isPriority else { return root }
            let priority = placement.node.scalar.flatMap(TreePriority.init) ?? .none
            return root.settingPriority(priority, at: placement.location.path)
        }
    }

    /// Gives the tree afterwards, if it had to be made.
    func checkPriorities(in root: TreeNode) throws(TreeError) -> TreeNode? {
        guard self.placements.contains(where: { $0.location.isPriority && !$0.node.isAbsent }) else { return nil }
        let root = self.applied(to: root)
        for placement in self.placements where placement.location.isPriority && !placement.node.isAbsent {
            let path = placement.location.path
            guard !root[path].isAbsent else { throw TreeError(.priorityOfAbsentNode, at: path) }
        }
        return root
    }
}
