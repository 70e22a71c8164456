package import BrasaTree

/// A write, and what the nodes that it brings take in a record: found out before the writer's section, where everybody
/// would wait for it.
package struct PreparedTreeWrite: Sendable {
    package let write: TreeWrite
    /// Of each assignment, as it was written: without what the server works out.
    let nodeBytes: [Int]

    package init(_ write: TreeWrite) {
        self.write = write
        self.nodeBytes = write.assignments.map { $0.template.node.recordBytes }
    }

    /// Nodes and server's values that the section puts into the tree one by one; one for a write that has none.
    package var placements: Int {
        max(1, self.write.assignments.reduce(0) { $0 + 1 + ($1.template.serverValues?.count ?? 0) })
    }

    /// What is written takes this in a record at least.
    package var recordBytes: Int { self.nodeBytes.reduce(0, +) }

    /// Nodes that are written, with server's values.
    package var nodeCount: Int {
        self.write.assignments.reduce(0) {
            $0 + $1.template.node.nodeCount + ($1.template.serverValues?.count ?? 0)
        }
    }

    /// Of what an assignment became. Looks at the places alone that the server worked out.
    fileprivate func recordBytes(of node: TreeNode, _ assignment: Int) -> Int {
        let template = self.write.assignments[assignment].template
        guard let values = template.serverValues else { return self.nodeBytes[assignment] }
        return self.nodeBytes[assignment] + values.addedRecordBytes(from: template.node, to: node)
    }
}

/// Writes of one request worked out on a tree's newest version, one after the other. Applied in the writer's section, on
/// that version still.
package struct TreeCommit: Sendable {
    let tree: TreeHandle
    package let before: TreeNode
    package private(set) var after: TreeNode
    package private(set) var changes: [TreeChange] = []
    /// Of each placement, in a record.
    private(set) var nodeBytes = 0

    package init(of tree: TreeHandle) {
        self.tree = tree
        self.before = tree.newest.root
        self.after = self.before
    }

    package mutating func add(_ prepared: PreparedTreeWrite, milliseconds: Int64) throws(TreeError) {
        let (change, root) = try prepared.write.carriedOut(on: self.after, milliseconds: milliseconds)
        self.after = root
        self.changes.append(change)
        for (assignment, placement) in change.placements.enumerated() {
            self.nodeBytes += prepared.recordBytes(of: placement.node, assignment)
        }
    }

    /// Whether the tree is another one afterwards. That a large tree is equal in all its parts is not looked for.
    package var changesSomething: Bool {
        if self.after.isSame(as: self.before) { return false }
        let written = self.changes.reduce(0) { $0 + $1.placements.reduce(0) { $0 + $1.node.nodeCount } }
        return written > Self.comparedNodesMax || self.after != self.before
    }

    private static let comparedNodesMax = 1_024

    /// What is in memory afterwards and was not before.
    var growth: Int { self.after.keptBytes - self.before.keptBytes }

    var placements: Int { self.changes.reduce(0) { $0 + $1.placements.count } }
}
