extension TreeTemplate {
    /// What it has at a place, what the server works out included.
    package subscript(path: TreePath) -> TreeTemplate {
        TreeTemplate(self.node[path], serverValues: self.serverValues?.values(at: path.keys[...]))
    }

    /// With another in the place of a node, what the server works out included.
    package func setting(_ template: TreeTemplate, at path: TreePath) -> TreeTemplate {
        let isAbsent = template.node.isAbsent && template.serverValues == nil
        // A leaf on the way has children now, also where all of them are still to be worked out: it does not come back with
        // their removal.
        let rest = template.node.isAbsent && !isAbsent ? self.node.withoutLeaf(above: path) : self.node
        let node = rest.setting(template.node, at: path)
        let serverValues = ServerValues.setting(
            template.serverValues,
            at: path.keys[...],
            in: self.serverValues,
            isAbsent: isAbsent,
            nodes: (before: self.node, after: node)
        )
        return TreeTemplate(node, serverValues: serverValues)
    }

    /// Without the priority that it gives a node; nil when it gives none.
    func withoutPriority(at path: TreePath) -> TreeTemplate? {
        let hasPriority = !self.node[path].priority.isNone
        let values = self.serverValues?.values(at: path.keys[...])
        guard hasPriority || values?.priority != nil else { return nil }
        let node = hasPriority ? self.node.settingPriority(.none, at: path) : self.node
        guard values?.priority != nil else { return TreeTemplate(node, serverValues: self.serverValues) }
        let rest = values.flatMap { values in
            values.value == nil && values.children.isEmpty
                ? nil : ServerValues(value: values.value, children: values.children)
        }
        let serverValues = ServerValues.setting(
            rest,
            at: path.keys[...],
            in: self.serverValues,
            isAbsent: true,
            nodes: (before: node, after: node)
        )
        return TreeTemplate(node, serverValues: serverValues)
    }
}

extension TreeNode {
    /// Without the leaf on the way to a path, and what is above it and has nothing else.
    fileprivate func withoutLeaf(above path: TreePath) -> TreeNode {
        var node = self
        for (depth, key) in path.keys.enumerated() {
            if node.scalar != nil { return self.setting(.absent, at: TreePath(Array(path.keys.prefix(depth)))) }
            node = node.child(key)
        }
        return self
    }
}

extension ServerValues {
    /// What is worked out at a place and beneath.
    fileprivate func values(at keys: ArraySlice<TreeKey>) -> ServerValues? {
        var values = self
        for key in keys {
            guard let child = values.children.first(where: { $0.key == key.text })?.values else { return nil }
            values = child
        }
        return values
    }

    /// Recursive, as deep as paths may be.
    /// - Parameters:
    ///   - isAbsent: what is put there makes no child of what is above.
    ///   - nodes: what is written with these values, before and after it.
    fileprivate static func setting(
        _ values: ServerValues?,
        at keys: ArraySlice<TreeKey>,
        in tree: ServerValues?,
        isAbsent: Bool,
        nodes: (before: TreeNode, after: TreeNode)
    ) -> ServerValues? {
        guard let key = keys.first else { return values }
        var children = tree?.children ?? []
        let index = children.firstIndex { TreeKey.compare($0.key, key.text) >= 0 } ?? children.count
        let isThere = index < children.count && children[index].key == key.text
        let child = self.setting(
            values,
            at: keys.dropFirst(),
            in: isThere ? children[index].values : nil,
            isAbsent: isAbsent,
            nodes: (nodes.before.child(key), nodes.after.child(key))
        )
        let replacement = child.map { [(key: key.text, values: $0)] } ?? []
        children.replaceSubrange(index..<(isThere ? index + 1 : index), with: replacement)
        // What was a value to be worked out has children now; where they are absent, it stays what it was.
        let value = isAbsent ? tree?.value : nil
        // A node whose written children have all gone has its priority no more, but will be there again by these.
        let hasGone = nodes.after.isAbsent && !nodes.before.priority.isNone && !children.isEmpty
        let priority = tree?.priority ?? (hasGone ? .written(nodes.before.priority) : nil)
        // Of what is not there, and will not be, nothing is left.
        if value == nil, children.isEmpty, priority == nil || nodes.after.isAbsent { return nil }
        return ServerValues(value: value, priority: priority, children: children)
    }
}
