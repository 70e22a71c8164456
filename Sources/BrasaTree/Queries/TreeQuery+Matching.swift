extension TreeQuery.Order {
    /// What a child is ordered by; ordered by key, its key alone.
    package func value(of child: TreeNode) -> IndexValue {
        switch self {
        case .key: .absent
        case .priority: IndexValue(child.priority)
        case .value: IndexValue(child)
        case .child(let path): IndexValue(child[path])
        }
    }
}

/// A child's place in the order of a query.
package struct IndexEntry: Hashable, Sendable {
    package let value: IndexValue
    package let key: TreeKey

    package init(value: IndexValue, key: TreeKey) {
        self.value = value
        self.key = key
    }
}

extension IndexEntry: Comparable {
    package static func < (left: IndexEntry, right: IndexEntry) -> Bool {
        let order = IndexValue.compare(left.value, right.value)
        return order < 0 || order == 0 && left.key < right.key
    }
}

extension QueryBound {
    /// Whether a child is before the range that starts here.
    func excludesBefore(_ entry: IndexEntry) -> Bool {
        let order = IndexValue.compare(self.value, entry.value)
        guard order == 0 else { return order > 0 }
        guard let key = self.key else { return !self.isInclusive }
        let keyOrder = key.compare(entry.key.text)
        return self.isInclusive ? keyOrder > 0 : keyOrder >= 0
    }

    /// Whether a child is in the range that ends here, or before it.
    func includesUpTo(_ entry: IndexEntry) -> Bool {
        let order = IndexValue.compare(self.value, entry.value)
        guard order == 0 else { return order > 0 }
        guard let key = self.key else { return self.isInclusive }
        let keyOrder = key.compare(entry.key.text)
        return self.isInclusive ? keyOrder >= 0 : keyOrder > 0
    }
}

extension TreeQuery {
    /// Whether a child is in the range; limits aside.
    package func contains(_ entry: IndexEntry) -> Bool {
        if let start, start.excludesBefore(entry) { return false }
        if let end, !end.includesUpTo(entry) { return false }
        return true
    }

    package func entry(_ key: TreeKey, _ child: TreeNode) -> IndexEntry {
        IndexEntry(value: self.order.value(of: child), key: key)
    }

    /// A node cut to what is asked for: its children in the window, without its own priority; nothing of a leaf. All of
    /// it, priority included, for a query of everything.
    /// Complexity: by key, O(log n + window). Else O(n log window) for n children; `TreeWindow` keeps an index.
    package func filter(_ node: TreeNode) -> TreeNode {
        if self.isComplete { return node }
        if self.order == .key || self.order == .priority && !node.hasChildPriorities {
            return TreeWindow(self, of: node).node
        }
        var chosen = WindowSelection(self.limit)
        for (key, child) in node.children {
            let entry = self.entry(key, child)
            if self.contains(entry) { chosen.add(entry, child) }
        }
        let members = chosen.finish().map { (key: $0.entry.key.text, node: $0.node) }
        return TreeNode(sorted: members.sorted { TreeKey.compare($0.key, $1.key) < 0 })
    }
}

/// The first or last of many, without keeping all of them.
private struct WindowSelection {
    private let limit: TreeQuery.Limit?
    private var members: [(entry: IndexEntry, node: TreeNode)] = []

    init(_ limit: TreeQuery.Limit?) {
        self.limit = limit
    }

    mutating func add(_ entry: IndexEntry, _ node: TreeNode) {
        self.members.append((entry, node))
        // Cut when there is twice what is wanted and more, so that sorting is paid for by as many additions.
        if let limit, self.members.count >= 2 * limit.count + 64 { self.cut(limit) }
    }

    mutating func finish() -> [(entry: IndexEntry, node: TreeNode)] {
        if let limit = self.limit { self.cut(limit) }
        return self.members
    }

    private mutating func cut(_ limit: TreeQuery.Limit) {
        guard self.members.count > limit.count else { return }
        switch limit.end {
        case .first: self.members.sort { $0.entry < $1.entry }
        case .last: self.members.sort { $1.entry < $0.entry }
        }
        self.members.removeSubrange(limit.count...)
    }
}
