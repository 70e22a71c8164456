/// What happened to a child in a query's window.
package struct ChildEvent: Equatable, Sendable {
    /// In the order in which they are reported.
    package enum Kind: Int, Hashable, Sendable {
        case removed, added, moved, changed
    }

    package let kind: Kind
    package let key: TreeKey
    /// The child as it is now; of a removed one, as it was.
    package let node: TreeNode
    /// The child before it in the query's order, nil for the first; nothing for a removed one.
    package let previous: TreeKey?

    package init(_ kind: Kind, _ key: TreeKey, _ node: TreeNode, previous: TreeKey?) {
        self.kind = kind
        self.key = key
        self.node = node
        self.previous = previous
    }
}

extension TreeWindow {
    /// What a new listener is told: every child as added, in the query's order.
    package var events: [ChildEvent] {
        var previous: TreeKey?
        return self.members.map { member in
            defer { previous = member.entry.key }
            return ChildEvent(.added, member.entry.key, member.node, previous: previous)
        }
    }

    /// The child before a member in the window.
    fileprivate func predecessor(of entry: IndexEntry) -> TreeKey? {
        let rank = self.index.rank(of: entry) - 1
        return self.ranks.contains(rank) ? self.index.entry(at: rank)?.key : nil
    }
}

extension WindowChange {
    /// Removed, added, moved and changed children; within a kind in the query's order. A child moves when what it is
    /// ordered by changed, which is reported beside the change itself.
    package var events: [ChildEvent] {
        var removed: [(entry: IndexEntry, event: ChildEvent)] = []
        var others: [ChildEvent.Kind: [(entry: IndexEntry, event: ChildEvent)]] = [:]
        for child in self.children {
            let was = self.old.index.entry(child.key, child.old)
            let entry = self.new.index.entry(child.key, child.new)
            if child.new.isAbsent {
                removed.append((was, ChildEvent(.removed, child.key, child.old, previous: nil)))
                continue
            }
            let previous = self.new.predecessor(of: entry)
            var kinds: [ChildEvent.Kind] = [child.old.isAbsent ? .added : .changed]
            if !child.old.isAbsent, IndexValue.compare(was.value, entry.value) != 0 { kinds.append(.moved) }
            for kind in kinds {
                others[kind, default: []].append((entry, ChildEvent(kind, child.key, child.new, previous: previous)))
            }
        }
        let groups = [removed] + [.added, .moved, .changed].map { others[$0] ?? [] }
        return groups.flatMap { group in group.sorted { $0.entry < $1.entry }.map(\.event) }
    }
}
