/// A value as a client wrote it: a node, and the places in it whose values the server works out.
package struct TreeTemplate: Equatable, Sendable {
    package struct Placeholder: Hashable, Sendable {
        /// From the written node.
        package let path: TreePath
        package let content: Content

        package enum Content: Hashable, Sendable {
            /// The leaf's value, with the priority that was written beside it.
            case value(ServerValue, priority: TreePriority)
            case priority(ServerValue)
            /// Written for an object of which only the server's values make a node.
            case writtenPriority(TreePriority)
        }
    }

    package let node: TreeNode
    /// Values before the priorities of the same places.
    package let placeholders: [Placeholder]

    package init(_ node: TreeNode, placeholders: [Placeholder] = []) {
        self.node = node
        self.placeholders = placeholders
    }

    /// As it will be stored. `present` is the node that it replaces: increments look up the number at their own place.
    package func resolved(present: TreeNode, milliseconds: Int64) -> TreeNode {
        var node = self.node
        for placeholder in self.placeholders {
            let before = present[placeholder.path]
            switch placeholder.content {
            case .value(let value, let priority):
                let scalar = value.resolved(present: before.scalar, milliseconds: milliseconds)
                node = node.setting(TreeNode(scalar, priority: priority), at: placeholder.path)
            case .writtenPriority(let priority):
                node = node.settingPriority(priority, at: placeholder.path)
            case .priority(let value):
                let scalar = value.resolved(present: before.priority.scalar, milliseconds: milliseconds)
                node = node.settingPriority(TreePriority(scalar) ?? .none, at: placeholder.path)
            }
        }
        return node
    }

    /// Levels beneath, once the server's values are there.
    var height: Int {
        self.placeholders.reduce(self.node.height) { max($0, $1.path.keys.count) }
    }
}
