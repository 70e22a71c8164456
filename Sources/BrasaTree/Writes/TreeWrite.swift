/// A set or an update as a client asked for it, checked for everything that does not depend on what is there.
package struct TreeWrite: Sendable {
    package struct Assignment: Sendable {
        /// From the root.
        package let location: TreeLocation
        package let template: TreeTemplate

        package init(location: TreeLocation, template: TreeTemplate) {
            self.location = location
            self.template = template
        }
    }

    /// The node that was addressed.
    package let path: TreePath
    /// Whether what is not named stays; else the whole node is replaced, with its priority.
    package let isUpdate: Bool
    package let assignments: [Assignment]

    /// Replaces a node, or the priority of one.
    package static func set(_ template: TreeTemplate, at location: TreeLocation) throws(TreeError) -> TreeWrite {
        try Self(
            path: location.path,
            isUpdate: false,
            assignments: [Assignment(location: location, template: template)]
        )
    }

    /// Replaces the nodes and priorities at paths below a node, all or none.
    package static func update(_ entries: [UpdateReader.Entry], at path: TreePath) throws(TreeError) -> TreeWrite {
        try Self(
            path: path,
            isUpdate: true,
            assignments: entries.map { entry in
                let location = TreeLocation(path.appending(entry.location.path), isPriority: entry.location.isPriority)
                return Assignment(location: location, template: entry.template)
            }
        )
    }

    /// A write as it was kept, every place at its path or below it.
    package init(path: TreePath, isUpdate: Bool, assignments: [Assignment]) throws(TreeError) {
        for assignment in assignments { try assignment.check() }
        try Self.checkOverlaps(assignments.map(\.location))
        self.path = path
        self.isUpdate = isUpdate
        self.assignments = assignments
    }

    init(checked assignments: [Assignment], path: TreePath, isUpdate: Bool) {
        (self.path, self.isUpdate, self.assignments) = (path, isUpdate, assignments)
    }

    /// No path may be another's ancestor, or be there twice. A priority is below its node.
    private static func checkOverlaps(_ locations: [TreeLocation]) throws(TreeError) {
        guard locations.count > 1 else { return }
        let sorted = locations.map { (location: $0, segments: $0.segments) }.sorted { left, right in
            left.segments.lexicographicallyPrecedes(right.segments) { TreeKey.compare($0, $1) < 0 }
        }
        // What is below a path comes right after it.
        for (upper, lower) in zip(sorted, sorted.dropFirst()) where lower.segments.starts(with: upper.segments) {
            throw TreeError(.conflictingPaths(upper.location, lower.location), at: upper.location.path)
        }
    }

    /// What the write does at a time to a tree: the server's values worked out, all against the tree before the write.
    /// Refuses a priority for a node that will not exist.
    package func resolved(in root: TreeNode, milliseconds: Int64) throws(TreeError) -> TreeChange {
        let change = self.workedOut(in: root, milliseconds)
        _ = try change.checkPriorities(in: root)
        return change
    }

    /// The same, and the tree afterwards, made once.
    package func carriedOut(
        on root: TreeNode,
        milliseconds: Int64
    ) throws(TreeError) -> (change: TreeChange, root: TreeNode) {
        let change = self.workedOut(in: root, milliseconds)
        let checked = try change.checkPriorities(in: root)
        return (change, checked ?? change.applied(to: root))
    }

    /// The same without the check, where not all of the tree is known.
    package func workedOut(in root: TreeNode, _ milliseconds: Int64) -> TreeChange {
        let placements = self.assignments.map { assignment in
            let location = assignment.location
            let before = root[location.path]
            let present = location.isPriority ? before.priority.scalar.map(TreeNode.leaf) ?? .absent : before
            let node = assignment.template.resolved(present: present, milliseconds: milliseconds)
            return TreeChange.Placement(location: location, node: node)
        }
        return TreeChange(path: self.path, isUpdate: self.isUpdate, placements: placements)
    }
}

extension TreeWrite.Assignment {
    fileprivate func check() throws(TreeError) {
        let path = self.location.path
        let levels = path.keys.count + self.template.height
        guard levels <= TreeLimits.levelsMax else { throw TreeError(.tooDeep(levels: levels), at: path) }
        guard self.location.isPriority else { return }
        // A priority is a string, a number, nothing, or a server value, and has no priority itself.
        let node = self.template.node
        let isValue = node.isAbsent || node.scalar.flatMap(TreePriority.init) != nil
        guard isValue, node.priority.isNone, self.template.serverValues?.isBare ?? true else {
            throw TreeError(.invalidPriority, at: path)
        }
    }
}
