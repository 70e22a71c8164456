import BrasaTree

/// The places in which a commit differs, from the root: in order, none beneath another.
struct CommitParts {
    let commit: TreeCommit
    let locations: [TreeLocation]

    init(_ commit: TreeCommit) {
        self.commit = commit
        // A node comes before its priority and before what is beneath it.
        let sorted = commit.change.placements.map(\.location).sorted { left, right in
            left.path == right.path ? !left.isPriority && right.isPriority : left.path < right.path
        }
        var kept: [TreeLocation] = []
        var last: TreeLocation?
        for location in sorted where location != last && !(kept.last?.covers(location) ?? false) {
            last = location
            if commit.before.part(location) != commit.after.part(location) { kept.append(location) }
        }
        self.locations = kept
    }
}

extension TreeLocation {
    /// Whether what is put here puts that place, too.
    fileprivate func covers(_ other: TreeLocation) -> Bool { !self.isPriority && self.path.contains(other.path) }

    /// From a node above it, or the node itself.
    func relative(to path: TreePath) -> TreeLocation {
        TreeLocation(TreePath(Array(self.path.keys.dropFirst(path.keys.count))), isPriority: self.isPriority)
    }
}

extension TreeNode {
    /// What stands at a place; a priority as the leaf that it would be.
    func part(_ location: TreeLocation) -> TreeNode {
        let node = self[location.path]
        return location.isPriority ? node.priority.scalar.map(TreeNode.leaf) ?? .absent : node
    }
}
