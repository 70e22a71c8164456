package import BrasaTree

/// A write, and what the nodes that it brings take in a record: found out before the writer's section, where everybody
/// would wait for it.
package struct PreparedTreeWrite: Sendable {
    package let write: TreeWrite
    /// Of each assignment; nil where it depends on the server's values.
    let nodeBytes: [Int?]

    package init(_ write: TreeWrite) {
        self.write = write
        self.nodeBytes = write.assignments.map { assignment in
            assignment.template.serverValues == nil ? assignment.template.node.recordBytes : nil
        }
    }

    /// Nodes and server's values that the section puts into the tree one by one.
    package var placements: Int {
        self.write.assignments.reduce(0) { $0 + 1 + ($1.template.serverValues?.count ?? 0) }
    }
}

/// Writes of one request worked out on a tree's newest version, one after the other. Made and applied in the writer's
/// section.
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
        let change = try prepared.write.resolved(in: self.after, milliseconds: milliseconds)
        self.after = change.applied(to: self.after)
        self.changes.append(change)
        for (placement, bytes) in zip(change.placements, prepared.nodeBytes) {
            self.nodeBytes += bytes ?? placement.node.recordBytes
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
