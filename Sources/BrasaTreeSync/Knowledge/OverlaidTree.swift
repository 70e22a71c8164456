import BrasaTree

/// What the server has said, and what that is with the queued writes laid over it.
struct OverlaidTree: Sendable {
    /// Nothing is kept but what is at or below.
    let scope: TreePath
    /// Changes to it show after `refresh`.
    var known: PartialTree
    private(set) var shown: PartialTree

    init(at scope: TreePath = .root, known: PartialTree = PartialTree(), writes: WriteQueue = WriteQueue()) {
        (self.scope, self.known, self.shown) = (scope, known, known)
        for write in writes.touching(scope) { self.append(write) }
    }

    /// Lays the newest write over all others.
    mutating func append(_ write: PendingWrite) {
        if write.isShown { self.shown.apply(write.change.cut(to: self.scope)) }
    }

    /// Works out anew what is shown at a path, since what the server says there or a write there is another or has gone.
    /// Gives the path at or beneath which things may have changed: the path itself, or one above.
    mutating func refresh(_ path: TreePath, _ writes: WriteQueue) -> TreePath {
        let path = self.scope.contains(path) ? path : self.scope
        var relevant = writes.touching(path)
        let top = self.top(of: path, relevant)
        if top != path { relevant = writes.touching(top) }
        var part = self.known.part(at: top)
        for write in relevant where write.isShown { part.apply(write.change, from: top) }
        self.shown.replace(top, with: part)
        return top
    }

    /// What is below a node can be worked out by itself, unless the node is a leaf or has a priority in any of the states
    /// from the server's to the newest, or has had it until now: both come and go with the children.
    private func top(of path: TreePath, _ writes: [PendingWrite]) -> TreePath {
        var (node, shown) = (self.known.values, self.shown.values)
        for (depth, key) in path.keys.enumerated() {
            let above = TreePath(Array(path.keys.prefix(depth)))
            defer { (node, shown) = (node.child(key), shown.child(key)) }
            guard self.scope.contains(above) else { continue }
            let isMore = node.isMoreThanChildren || shown.isMoreThanChildren
            if isMore || writes.contains(where: { $0.isShown && $0.change.makesMore(of: above) }) {
                return above
            }
        }
        return path
    }
}

extension TreeNode {
    fileprivate var isMoreThanChildren: Bool { self.scalar != nil || self.priority != .none }
}

extension TreeChange {
    /// Whether the node at the path has a value or a priority by this change.
    fileprivate func makesMore(of path: TreePath) -> Bool {
        self.placements.contains { placement in
            let location = placement.location
            if location.isPriority { return location.path == path }
            return location.path.relative(path).map { placement.node[$0].isMoreThanChildren } ?? false
        }
    }
}

extension TreeChange {
    /// What it does at a path and below.
    fileprivate func cut(to path: TreePath) -> TreeChange {
        guard !path.isRoot else { return self }
        let placements = self.placements.compactMap { placement -> Placement? in
            let location = placement.location
            if path.contains(location.path) { return placement }
            guard !location.isPriority, let way = location.path.relative(path) else { return nil }
            return Placement(location: TreeLocation(path), node: placement.node[way])
        }
        return TreeChange(path: self.path, isUpdate: self.isUpdate, placements: placements)
    }
}
