extension TreeTemplate {
    /// With what its increments come to, where `present` is the node that it replaces. The time stays for the server to tell.
    package func resolvingIncrements(present: TreeNode) -> TreeTemplate {
        self.serverValues?.resolvingIncrements(of: self.node, present: present) ?? self
    }
}

extension ServerValues {
    /// Recursive, as deep as written values may be.
    fileprivate func resolvingIncrements(of node: TreeNode, present: TreeNode) -> TreeTemplate {
        let priority = self.priority?.resolvingIncrement(present: present.priority)
        switch self.value {
        case .timestamp?: return TreeTemplate(node, serverValues: ServerValues(value: self.value, priority: priority))
        case .increment?:
            let sum = self.value?.resolved(present: present.scalar, milliseconds: 0)
            return Self.template(sum.map { .leaf($0) } ?? node, priority, children: [])
        case nil:
            let children = self.keyedChildren.map { key, values in
                (key, values.resolvingIncrements(of: node.child(key), present: present.child(key)))
            }
            return Self.template(
                node.setting(sorted: children.map { key, child in (key, child.node) }),
                priority,
                children: children.compactMap { key, child in child.serverValues.map { (key: key.text, values: $0) } }
            )
        }
    }

    /// A node has a priority itself where the server need not work out whether there is a node at all.
    private static func template(
        _ node: TreeNode,
        _ priority: Priority?,
        children: [(key: TreeText, values: ServerValues)]
    ) -> TreeTemplate {
        switch priority {
        case .written(let priority)? where children.isEmpty: return TreeTemplate(node.withPriority(priority))
        case nil where children.isEmpty: return TreeTemplate(node)
        case nil, .written?, .server?:
            return TreeTemplate(node, serverValues: ServerValues(value: nil, priority: priority, children: children))
        }
    }
}

extension ServerValues.Priority {
    fileprivate func resolvingIncrement(present: TreePriority) -> Self {
        guard case .server(.increment(let delta)) = self else { return self }
        let sum = ServerValue.increment(delta).resolved(present: present.scalar, milliseconds: 0)
        return .written(TreePriority(sum) ?? .none)
    }
}
