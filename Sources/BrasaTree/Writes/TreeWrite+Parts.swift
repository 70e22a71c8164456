extension TreeWrite {
    /// With others in the place of its assignments, which do not overlap; nil when none is left.
    package func replacing(_ assignments: (Assignment) -> [Assignment]) -> TreeWrite? {
        let replaced = self.assignments.flatMap(assignments)
        guard !replaced.isEmpty else { return nil }
        return TreeWrite(checked: replaced, path: self.path, isUpdate: self.isUpdate || replaced.count > 1)
    }
}

extension TreeWrite.Assignment {
    /// What is written beside a place beneath: each child on its own, so that what is at the place stays. A leaf has no
    /// such part and is written as it is; of nothing, nothing is left.
    package func without(_ path: TreePath) -> [TreeWrite.Assignment] {
        guard !self.location.isPriority, let way = self.location.path.relative(path), let first = way.keys.first else {
            return []
        }
        guard self.template.node.scalar == nil, self.template.serverValues?.value == nil else { return [self] }
        return self.template.children.flatMap { key, template in
            let child = TreeWrite.Assignment(
                location: TreeLocation(self.location.path.appending(key)),
                template: template
            )
            guard key == first else { return [child] }
            return way.keys.count == 1 ? [] : child.without(path)
        }
    }
}

extension TreeTemplate {
    /// Of an inner node, in no order.
    fileprivate var children: [(key: TreeKey, template: TreeTemplate)] {
        var values: [TreeKey: ServerValues] = [:]
        for child in self.serverValues?.children ?? [] { values[TreeKey(checked: child.key)] = child.values }
        var children = self.node.children.map { key, node in
            (key: key, template: TreeTemplate(node, serverValues: values.removeValue(forKey: key)))
        }
        children += values.map { (key: $0.key, template: TreeTemplate(.absent, serverValues: $0.value)) }
        return children
    }
}
