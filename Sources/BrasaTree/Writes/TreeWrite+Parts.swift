extension TreeWrite {
    /// With others in the place of its assignments, which do not overlap; nil when none is left.
    package func replacing(_ assignments: (Assignment) -> [Assignment]) -> TreeWrite? {
        let replaced = self.assignments.flatMap(assignments)
        guard !replaced.isEmpty else { return nil }
        return TreeWrite(checked: replaced, path: self.path, isUpdate: self.isUpdate || replaced.count > 1)
    }
}

extension TreeWrite.Assignment {
    /// What is written beside a place. Of what is above it, each child on its own, so that what is at the place stays: a leaf has
    /// no such part and is written as it is; of nothing, nothing is left. Beside a priority, the node without one.
    package func without(_ place: TreeLocation) -> [TreeWrite.Assignment] {
        guard !self.isCovered(by: place) else { return [] }
        guard !self.location.isPriority, let way = self.location.path.relative(place.path) else { return [self] }
        guard !place.isPriority else {
            guard let template = self.template.withoutPriority(at: way) else { return [self] }
            return [TreeWrite.Assignment(location: self.location, template: template)]
        }
        guard let first = way.keys.first, !self.template.isLeaf else { return [self] }
        return self.template.children.flatMap { key, template in
            let child = TreeWrite.Assignment(
                location: TreeLocation(self.location.path.appending(key)),
                template: template
            )
            return key == first ? child.without(place) : [child]
        }
    }

    /// How many those are; nil when it stays as it is.
    ///
    /// - Parameter limit: what is above is not counted to its end.
    func count(without place: TreeLocation, upTo limit: Int) -> Int? {
        guard !self.isCovered(by: place) else { return 0 }
        guard !self.location.isPriority, let way = self.location.path.relative(place.path) else { return nil }
        guard !place.isPriority else { return self.template.withoutPriority(at: way) == nil ? nil : 1 }
        guard !self.template.isLeaf else { return nil }
        var count = 0
        var template = self.template
        for key in way.keys where count <= limit {
            guard !template.isLeaf else { return count + 1 }
            count += template.childCount(upTo: limit)
            guard let child = template.child(key) else { return count }
            // Itself, of which the rest is counted next.
            count -= 1
            template = child
        }
        return count
    }

    /// What its place and its value take in memory, about.
    var keptBytes: Int { self.location.path.keptBytes + self.template.keptBytes }

    /// Whether it is at the place, above or beneath.
    func meets(_ place: TreeLocation) -> Bool {
        self.isCovered(by: place) || self.location.path.contains(place.path)
    }

    /// Whether it writes the place, or what is beneath, and nothing else.
    private func isCovered(by place: TreeLocation) -> Bool {
        place.isPriority ? self.location == place : place.path.contains(self.location.path)
    }
}

extension TreeTemplate {
    fileprivate var isLeaf: Bool { self.node.scalar != nil || self.serverValues?.value != nil }

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

    fileprivate func childCount(upTo limit: Int) -> Int {
        let values = self.serverValues?.children ?? []
        // Each has a key of its own, and one of them is on the way.
        guard values.count <= limit else { return values.count + 1 }
        return values.reduce(self.node.childCount) { count, child in
            self.node.child(TreeKey(checked: child.key)).isAbsent ? count + 1 : count
        }
    }

    fileprivate func child(_ key: TreeKey) -> TreeTemplate? {
        let node = self.node.child(key)
        let values = self.serverValues?.children.first { $0.key == key.text }?.values
        return node.isAbsent && values == nil ? nil : TreeTemplate(node, serverValues: values)
    }
}
