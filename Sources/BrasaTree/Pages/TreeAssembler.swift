/// Puts a tree together from its nodes, depth first and in key order, as a log or a checkpoint has them: in linear time,
/// and with little more memory than the tree takes, however wide it is. Every call says whether what it brings fits.
package struct TreeAssembler {
    private var levels: [Level] = []
    /// The keys of the last small node at each depth: records beside each other often have the same.
    private var tables: [KeyTable?] = []

    package init() {}

    /// How many nodes are open.
    package var depth: Int { self.levels.count }

    /// The open nodes' keys; the first one has none.
    package var path: TreePath { TreePath(self.levels.dropFirst().map(\.key)) }

    /// Opens an inner node: the root when there is none yet, else a child of the node that was opened last.
    package mutating func open(_ key: TreeKey?, priority: TreePriority) -> Bool {
        guard let key else {
            guard self.levels.isEmpty else { return false }
            self.levels.append(Level(key: TreeKey(checked: TreeText(checked: [])), priority: priority))
            return true
        }
        guard let last = self.levels.indices.last, self.levels[last].expects(key) else { return false }
        self.levels.append(Level(key: key, priority: priority))
        return true
    }

    /// A child of the open node that is complete.
    package mutating func add(_ node: TreeNode, key: TreeKey) -> Bool {
        guard let last = self.levels.indices.last, !node.isAbsent, self.levels[last].expects(key) else { return false }
        self.levels[last].append(node, key: key)
        return true
    }

    /// Closes the node that was opened last, which must have children. Returns it when it is the root.
    package mutating func close() -> (fits: Bool, root: TreeNode?) {
        guard var level = self.levels.popLast() else { return (false, nil) }
        let depth = self.levels.count
        while self.tables.count <= depth { self.tables.append(nil) }
        guard let page = level.finish(sharing: self.tables[depth]) else { return (false, nil) }
        if !page.isFork { self.tables[depth] = page.keys }
        let node = TreeNode.inner(InnerNode(page))
        guard let parent = self.levels.indices.last else { return (true, node) }
        self.levels[parent].append(node, key: level.key)
        return (true, nil)
    }

    /// An open node: pages that are complete, and the children after them.
    private struct Level {
        let key: TreeKey
        private let priority: TreePriority
        private var pages: [Page] = []
        private var keys: [TreeKey] = []
        private var nodes: [TreeNode] = []

        init(key: TreeKey, priority: TreePriority) {
            self.key = key
            self.priority = priority
        }

        func expects(_ key: TreeKey) -> Bool {
            guard let last = self.keys.last else { return true }
            return last < key
        }

        mutating func append(_ node: TreeNode, key: TreeKey) {
            // Half is kept, so that the last two pages can be of one size, and for its last key.
            if self.nodes.count == 2 * Page.entriesMax { self.pages.append(self.takePage(Page.entriesMax)) }
            self.nodes.append(node)
            self.keys.append(key)
        }

        private mutating func takePage(_ count: Int) -> Page {
            defer {
                self.nodes.removeFirst(count)
                self.keys.removeFirst(count)
            }
            let table = KeyTable(count: count, byteCount: self.keys[..<count].reduce(0) { $0 + $1.utf8.count }) {
                table in
                for key in self.keys[..<count] { key.utf8.withUnsafeBufferPointer { table.append($0) } }
            }
            return Page(keys: table, children: Array(self.nodes[..<count]))
        }

        /// Nil without children.
        mutating func finish(sharing table: KeyTable?) -> Page? {
            guard !self.nodes.isEmpty else { return nil }
            if self.pages.isEmpty, self.nodes.count <= Page.entriesMax {
                let shared = table.flatMap { $0.holds(self.keys) ? $0 : nil }
                let only = self.takePage(self.nodes.count)
                guard case .children(let children) = only.content else { return nil }
                return Page(keys: shared ?? only.keys, children: children, priority: self.priority)
            }
            if self.nodes.count > Page.entriesMax { self.pages.append(self.takePage(self.nodes.count / 2)) }
            self.pages.append(self.takePage(self.nodes.count))
            return Page.fork(over: self.pages, priority: self.priority)
        }
    }
}

extension KeyTable {
    fileprivate func holds(_ keys: [TreeKey]) -> Bool {
        self.withView { view in
            view.count == keys.count
                && keys.indices.allSatisfy { index in
                    keys[index].utf8.withUnsafeBufferPointer { CodeUnitOrder.areEqual(view[index], $0) }
                }
        }
    }
}
