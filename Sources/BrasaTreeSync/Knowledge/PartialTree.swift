import BrasaTree

/// What is known of a tree: some of its nodes, each with all that is beneath it, and nothing of the rest.
struct PartialTree: Sendable {
    enum Coverage: Sendable {
        /// The node and everything beneath.
        case whole
        /// The children that are there, each of them whole. Of others nothing is known: this is what a query shows.
        case presentChildren
    }

    /// Where nothing is known, absent, or no more than the way to what is known.
    private(set) var values: TreeNode = .absent
    private var coverage = PathTree<Coverage>()

    /// Nothing.
    init() {}

    init(whole node: TreeNode) {
        self.values = node
        self.coverage.value = .whole
    }

    /// What a query showed of a node.
    init(childrenOf node: TreeNode, at path: TreePath) {
        self.values = TreeNode.absent.setting(node, at: path)
        self.coverage.update(at: path) { $0.value = .presentChildren }
    }

    private init(values: TreeNode, coverage: PathTree<Coverage>) {
        (self.values, self.coverage) = (values, coverage)
    }

    /// Nil when it is not known.
    func node(at path: TreePath) -> TreeNode? { self.isKnown(path) ? self.values[path] : nil }

    func isKnown(_ path: TreePath) -> Bool { self.wholeDepth(path) != nil }

    /// How many keys of the path lead to the node that is known whole, at the path or above it.
    private func wholeDepth(_ path: TreePath) -> Int? {
        var branch = self.coverage
        for (depth, key) in path.keys.enumerated() {
            if branch.value == .whole { return depth }
            guard let child = branch.children[key] else {
                guard branch.value == .presentChildren else { return nil }
                return self.values[TreePath(Array(path.keys.prefix(depth + 1)))].isAbsent ? nil : depth + 1
            }
            branch = child
        }
        return branch.value == .whole ? path.keys.count : nil
    }

    /// Known from now on, whatever it was before.
    mutating func set(_ node: TreeNode, at path: TreePath) {
        let depth = self.wholeDepth(path) ?? path.keys.count
        self.coverage.update(at: TreePath(Array(path.keys.prefix(depth)))) { $0 = PathTree(.whole) }
        self.values = self.values.setting(node, at: path)
    }

    /// Of an unknown node, nothing comes of it.
    mutating func setPriority(_ priority: TreePriority, at path: TreePath) {
        guard self.isKnown(path) else { return }
        self.values = self.values.settingPriority(priority, at: path)
    }

    /// Not for what is known as part of a node above.
    mutating func forget(_ path: TreePath) {
        self.coverage.update(at: path) { $0 = PathTree() }
        self.values = self.values.setting(.absent, at: path)
    }

    /// What is known at a path and beneath, from there.
    func part(at path: TreePath) -> PartialTree {
        if let node = self.node(at: path) { return PartialTree(whole: node) }
        return PartialTree(values: self.values[path], coverage: self.coverage.branch(at: path) ?? PathTree())
    }

    /// A part that is whole where this is.
    mutating func replace(_ path: TreePath, with part: PartialTree) {
        guard part.coverage.value != .whole else { return self.set(part.values, at: path) }
        self.coverage.update(at: path) { $0 = part.coverage }
        self.values = self.values.setting(part.values, at: path)
    }

    /// The children that are known, as a node without the rest.
    func knownChildren(at path: TreePath) -> TreeNode {
        if let node = self.node(at: path) { return node }
        guard let branch = self.coverage.branch(at: path) else { return .absent }
        let node = self.values[path]
        guard branch.value == .presentChildren else {
            let known = branch.children.filter { $0.value.value == .whole }.keys
            return TreeNode(children: known.map { (key: $0, node: node.child($0)) })
        }
        let unknown = branch.children.filter { $0.value.value != .whole }.keys
        return unknown.reduce(node) { $0.setting(.absent, for: $1) }
    }

    /// Children that are known by themselves, among them those known to be absent.
    func childrenKnownAlone(at path: TreePath) -> [(key: TreeKey, node: TreeNode)] {
        guard let branch = self.coverage.branch(at: path) else { return [] }
        let node = self.values[path]
        return branch.children.filter { $0.value.value == .whole }.keys.map { (key: $0, node: node.child($0)) }
    }
}

extension PartialTree {
    /// This tree begins at `base`.
    mutating func apply(_ change: TreeChange, from base: TreePath = .root) {
        for placement in change.placements where !placement.location.isPriority {
            let path = placement.location.path
            if let below = base.relative(path) {
                self.set(placement.node, at: below)
            } else if let way = path.relative(base) {
                self.set(placement.node[way], at: .root)
            }
        }
        // Priorities last: they are of nodes that other placements may make.
        for placement in change.placements where placement.location.isPriority {
            guard let below = base.relative(placement.location.path) else { continue }
            self.setPriority(placement.priority, at: below)
        }
    }
}

extension TreeChange.Placement {
    /// Where the location is a priority's.
    var priority: TreePriority { self.node.scalar.flatMap(TreePriority.init) ?? .none }
}
