import BrasaTree

/// What the server has said of a query that does not show everything: the children in its window. Others are unknown,
/// so a write beneath one of those is not shown until the server has sent that child.
struct FilteredCache: Sendable {
    let path: TreePath
    private(set) var tree: OverlaidTree
    private var window: TreeWindow
    /// Whether the server has said what the window is; before, some children at most.
    private(set) var isComplete: Bool
    /// Whether the query's own listen has brought any of it.
    private(set) var isFed = false

    /// Nothing known when the node is nil.
    init(_ query: TreeQuery, at path: TreePath, _ node: TreeNode?, _ writes: WriteQueue) {
        self.path = path
        self.window = TreeWindow(query, of: node ?? .absent)
        let members = self.window.node.withoutScalar
        self.window = TreeWindow(query, of: members)
        self.isComplete = node != nil
        self.tree = OverlaidTree(at: path, known: PartialTree(childrenOf: members, at: path), writes: writes)
    }

    /// The window's children.
    var known: TreeNode { self.tree.known.values[self.path] }

    mutating func append(_ write: PendingWrite) { self.tree.append(write) }

    mutating func refresh(_ path: TreePath, _ writes: WriteQueue) -> TreePath { self.tree.refresh(path, writes) }

    /// Takes what is sent; gives where what is shown may have changed. The whole window is taken from the query's own listen
    /// only, which is any that has no tag until something has come with the query's.
    mutating func receive(_ change: TreeChange, isOwn: Bool, _ writes: WriteQueue) -> [TreePath] {
        if isOwn { self.isFed = true }
        var touched: Set<TreeKey> = []
        var isReplaced = false
        for placement in change.placements {
            let location = placement.location
            guard let way = self.path.relative(location.path) else {
                if !self.isFed, !location.isPriority, let way = location.path.relative(self.path) {
                    self.replace(with: placement.node[way])
                    isReplaced = true
                }
                continue
            }
            if let key = way.keys.first {
                if self.receive(placement, in: key, isChild: way.keys.count == 1) { touched.insert(key) }
            } else if isOwn || !self.isFed, !location.isPriority {
                self.replace(with: placement.node)
                isReplaced = true
            }
        }
        touched.formUnion(self.trim(touched))
        guard !isReplaced else { return [self.tree.refresh(self.path, writes)] }
        return touched.map { self.tree.refresh(self.path.appending($0), writes) }
    }

    private mutating func replace(with node: TreeNode) {
        self.tree.known = PartialTree(childrenOf: node.withoutScalar, at: self.path)
        self.isComplete = true
    }

    private mutating func receive(_ placement: TreeChange.Placement, in key: TreeKey, isChild: Bool) -> Bool {
        let location = placement.location
        let isWholeChild = isChild && !location.isPriority
        guard isWholeChild || self.tree.known.isKnown(self.path.appending(key)) else { return false }
        if location.isPriority {
            self.tree.known.setPriority(placement.priority, at: location.path)
        } else {
            self.tree.known.set(placement.node, at: location.path)
        }
        return true
    }

    /// Forgets what is not in the window any more: the server does not speak of it from now on.
    private mutating func trim(_ touched: Set<TreeKey>) -> [TreeKey] {
        for key in touched where self.known.child(key).isAbsent { self.tree.known.forget(self.path.appending(key)) }
        self.window = self.window.updated(to: self.known)
        let ranks = self.window.ranks
        let outside = Array(0..<ranks.lowerBound) + Array(ranks.upperBound..<self.window.index.count)
        let keys = outside.compactMap { self.window.index.entry(at: $0)?.key }
        guard !keys.isEmpty else { return [] }
        for key in keys { self.tree.known.forget(self.path.appending(key)) }
        self.window = self.window.updated(to: self.known)
        return keys
    }
}

extension TreeNode {
    /// A query shows nothing of a leaf, and nothing of the node's own priority.
    fileprivate var withoutScalar: TreeNode { self.scalar == nil ? self.withPriority(.none) : .absent }
}
