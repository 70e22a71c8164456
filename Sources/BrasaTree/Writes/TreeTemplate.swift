/// A value as a client wrote it: a node, and the places in it whose values the server works out.
package struct TreeTemplate: Sendable {
    package let node: TreeNode
    /// Nil when there are none.
    package let serverValues: ServerValues?

    package init(_ node: TreeNode, serverValues: ServerValues? = nil) {
        self.node = node
        self.serverValues = serverValues
    }

    /// As it will be stored. `present` is the node that it replaces: increments look up the number at their own place.
    package func resolved(present: TreeNode, milliseconds: Int64) -> TreeNode {
        self.serverValues?.resolved(self.node, present: present, milliseconds: milliseconds) ?? self.node
    }

    /// See `TreeNode.estimate`; with what the server's values and the way to them take.
    package var estimate: Int { self.node.estimate + 64 * (self.serverValues?.count ?? 0) }

    /// What it takes in memory, about: what shares memory counts in each place, as in `TreeNode.bytes`.
    var keptBytes: Int { self.node.bytes + (self.serverValues?.keptBytes ?? 0) }

    /// Levels beneath, once the server's values are there.
    var height: Int { max(self.node.height, self.serverValues?.height ?? 0) }
}
