/// What a query shows of one version of a node: a range of ranks in the query's index. It is worked out by a few look-ups
/// and keeps no list; the window of the next version follows from the index's next version, which equal orders share.
package struct TreeWindow: Sendable {
    package let query: TreeQuery
    package let index: TreeIndex
    /// The children it shows, by rank in the index.
    package let ranks: Range<Int>

    package init(_ query: TreeQuery, of node: TreeNode) {
        self.init(query, in: TreeIndex(query.order, of: node))
    }

    /// The index is of the query's order.
    package init(_ query: TreeQuery, in index: TreeIndex) {
        self.query = query
        self.index = index
        let first = query.start.map { start in index.rank { !start.excludesBefore($0) } } ?? 0
        let end = query.end.map { end in index.rank { !end.includesUpTo($0) } } ?? index.count
        var ranks = first..<max(first, end)
        switch query.limit {
        case .some(let limit) where limit.end == .first: ranks = ranks.prefix(limit.count).indices
        case .some(let limit): ranks = ranks.suffix(limit.count).indices
        case .none: break
        }
        self.ranks = ranks
    }

    package var count: Int { self.ranks.count }

    /// The children it shows, in the query's order.
    package var members: [(entry: IndexEntry, node: TreeNode)] {
        self.index.members(self.ranks)
    }

    package func contains(_ entry: IndexEntry) -> Bool {
        guard let first = self.index.entry(at: self.ranks.lowerBound),
            let last = self.index.entry(at: self.ranks.upperBound - 1), !self.ranks.isEmpty
        else { return false }
        return !(entry < first) && !(last < entry)
    }

    /// The node cut to the window, without its own priority; all of it for a query of everything.
    package var node: TreeNode {
        if self.query.isComplete { return self.index.node }
        let members = self.members.map { (key: $0.entry.key.text, node: $0.node) }
        return TreeNode(sorted: members.sorted { TreeKey.compare($0.key, $1.key) < 0 })
    }

    /// The window of the next version of the node.
    package func updated(to node: TreeNode) -> TreeWindow {
        TreeWindow(self.query, in: self.index.updated(to: node))
    }
}
