package import BrasaTree

// What a disk is told, and what comes back from it.

extension SyncTree {
    /// What has changed since it was asked last, of that which is kept over restarts.
    package mutating func takeStored() -> [StoredChange] {
        guard var notes = self.notes.take() else { return [] }
        for path in notes.touched.sorted() {
            var seen: Set<TreeTarget> = []
            let targets = self.points[path]?.views.map { TreeTarget(path, $0.query) } ?? []
            for target in targets where seen.insert(target).inserted && self.listens.isOpen(target) {
                notes.compare(target, with: self.known(target))
            }
        }
        let changes = notes.changes
        (notes.changes, notes.touched) = ([], [])
        self.notes = notes
        return changes
    }

    /// What is known at a path and below is not what it was.
    mutating func touch(below path: TreePath) {
        guard self.notes != nil else { return }
        var paths: Set<TreePath> = []
        self.points.branch(at: path)?.forEach(from: path) { place, _ in paths.insert(place) }
        self.notes?.touched.formUnion(paths)
    }

    /// Whether what a disk has of a target would be used when somebody listens to the query.
    package func wantsStored(_ query: TreeQuery, at path: TreePath) -> Bool {
        self.points[path]?.index(of: query) == nil && !self.global.known.isKnown(path) && self.nodeInWindow(path) == nil
    }

    /// A node with the queued writes.
    package func overlaid(_ node: TreeNode, at path: TreePath) -> TreeNode {
        var part = PartialTree(whole: node)
        for write in self.writes.touching(path) where write.isShown { part.apply(write.change, from: path) }
        return part.node(at: .root) ?? node
    }

    /// Queues a write of an earlier process again, after those before it.
    package mutating func restore(_ write: PendingWrite) {
        self.lastWrite = max(self.lastWrite, write.id)
        self.writes.append(write)
        self.global.append(write)
    }

    /// What an earlier process knew, with what this one knows by listens below.
    func withHeard(_ stored: TreeNode, at path: TreePath) -> TreeNode {
        var node = stored
        self.points.branch(at: path)?.forEach(from: path) { place, point in
            guard let way = path.relative(place) else { return }
            if let known = self.global.known.node(at: place) {
                node = node.setting(known, at: way)
            } else {
                for cache in point.views.compactMap(\.cache) {
                    for (key, child) in cache.known.children { node = node.setting(child, at: way.appending(key)) }
                }
            }
        }
        return node
    }
}
