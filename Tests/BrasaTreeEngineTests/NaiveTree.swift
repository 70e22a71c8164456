import BrasaTree

/// A tree as one would write it on paper: each leaf with its whole path, each priority with the path of its node.
struct NaiveTree {
    private(set) var leaves: [[TreeKey]: TreeScalar] = [:]
    private(set) var priorities: [[TreeKey]: TreePriority] = [:]

    mutating func set(_ value: TreeNode, at path: [TreeKey]) {
        self.leaves = self.leaves.filter { !$0.key.starts(with: path) }
        self.priorities = self.priorities.filter { !$0.key.starts(with: path) }
        if !value.isAbsent {
            for length in path.indices { self.leaves[Array(path[..<length])] = nil }
            self.insert(value, path)
        }
        self.prune()
    }

    mutating func setPriority(_ priority: TreePriority, at path: [TreeKey]) {
        self.priorities[path] = priority == .none ? nil : priority
        self.prune()
    }

    /// What is at a place, if it is a leaf.
    func scalar(at path: [TreeKey]) -> TreeScalar? { self.leaves[path] }

    func exists(_ path: [TreeKey]) -> Bool { self.leaves.keys.contains { $0.starts(with: path) } }

    private mutating func insert(_ value: TreeNode, _ path: [TreeKey]) {
        if value.priority != .none { self.priorities[path] = value.priority }
        if let scalar = value.scalar { self.leaves[path] = scalar }
        for child in value.children { self.insert(child.node, path + [child.key]) }
    }

    /// Nodes without a leaf are none, and have no priority.
    private mutating func prune() {
        let leaves = self.leaves.keys
        self.priorities = self.priorities.filter { priority in leaves.contains { $0.starts(with: priority.key) } }
    }

    /// Built from nothing.
    func node(at path: [TreeKey] = []) -> TreeNode {
        let priority = self.priorities[path] ?? .none
        if let scalar = self.leaves[path] { return TreeNode(scalar, priority: priority) }
        let keys = Set(self.leaves.keys.filter { $0.starts(with: path) }.map { $0[path.count] })
        return TreeNode(children: keys.map { (key: $0, node: self.node(at: path + [$0])) }, priority: priority)
    }
}

/// What a client keeps of a listen, as it is told of it.
struct Listener {
    var tree = TreeNode.absent
    let target: TreePath

    /// Sets take what was at their place with them.
    mutating func set(_ value: TreeNode, at location: TreeLocation) {
        guard location.isPriority else {
            self.tree = self.tree.setting(value, at: location.path)
            return
        }
        self.tree = self.tree.settingPriority(value.scalar.flatMap(TreePriority.init) ?? .none, at: location.path)
    }

    var shown: TreeNode { self.tree[self.target] }
}
