import BrasaTree

/// One tree as parts of about the same size, for a checkpoint: a small tree as a whole, a large one walked in the order of
/// its keys, so that loading puts it together in linear time. The tree is a value: commits go on meanwhile.
struct TreeParts {
    private let name: TreeNamespace
    private var root: TreeNode?
    private var levels: [Level] = []

    /// A node that is taken apart.
    private struct Level {
        let key: TreeKey?
        let priority: TreePriority
        var children: TreeChildren.Iterator
        var next: (key: TreeKey, node: TreeNode)?
        var isOpened = false

        init(_ key: TreeKey?, _ node: TreeNode) {
            self.key = key
            self.priority = node.priority
            self.children = node.children.makeIterator()
            self.next = self.children.next()
        }
    }

    init(of root: TreeNode, in name: TreeNamespace) {
        self.name = name
        self.root = root.isAbsent ? nil : root
    }

    /// Larger nodes are taken apart.
    static let partBytes = 64 << 10

    /// The next part, of about so many bytes at most; false when there is none.
    mutating func append(to chunk: inout some RecordSink, bytes: Int) -> Bool {
        if let root = self.root.take() {
            guard self.isLarge(root) else {
                chunk.append(wholeTree: root, of: self.name)
                return true
            }
            self.levels.append(Level(nil, root))
        }
        while let top = self.levels.indices.last {
            let children = self.takeChildren(top, bytes: bytes)
            let priority = self.levels[top].isOpened ? nil : self.levels[top].priority
            if priority != nil || !children.isEmpty {
                self.levels[top].isOpened = true
                chunk.append(children: children, of: self.path, opening: priority, in: self.name)
                return true
            }
            if let (key, node) = self.levels[top].next {
                self.levels[top].next = self.levels[top].children.next()
                self.levels.append(Level(key, node))
            } else {
                self.levels.removeLast()
            }
        }
        return false
    }

    private var path: [TreeKey] { self.levels.compactMap(\.key) }

    /// Only an inner node can be taken apart.
    private func isLarge(_ node: TreeNode) -> Bool { node.childCount > 0 && node.estimate > Self.partBytes }

    /// Children up to one that is taken apart itself.
    private mutating func takeChildren(_ top: Int, bytes: Int) -> [(key: TreeKey, node: TreeNode)] {
        var children: [(key: TreeKey, node: TreeNode)] = []
        var room = bytes
        while room > 0, let (key, node) = self.levels[top].next, !self.isLarge(node) {
            children.append((key, node))
            room -= key.utf8.count + node.estimate
            self.levels[top].next = self.levels[top].children.next()
        }
        return children
    }
}
