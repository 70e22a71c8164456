import BrasaTree

@testable import BrasaTreeSync

/// What a query shows, worked out from nothing: what the server said of a target, and each write laid over it in order.
struct NaiveView {
    let target: TreeTarget
    let state: TreeNode
    let writes: [PendingWrite]

    func shown(_ query: TreeQuery, at path: TreePath) -> TreeNode {
        self.target.query == nil ? query.filter(self.whole[path]) : query.filter(self.window)
    }

    private var whole: TreeNode {
        let root = TreeNode.absent.setting(self.state, at: self.target.path)
        return self.writes.reduce(root) { $1.change.applied(to: $0) }
    }

    /// Of the target's children those that the server or a write has named whole.
    private var window: TreeNode {
        var node = self.state
        var known: Set<TreeKey>? = Set(node.children.map(\.key))
        for placement in self.writes.flatMap(\.change.placements) {
            let location = placement.location
            if location.path.contains(self.target.path), !location.isPriority {
                node = placement.node[location.path.relative(self.target.path) ?? .root]
                known = nil
            } else if let way = self.target.path.relative(location.path), let first = way.keys.first {
                if way.keys.count == 1, !location.isPriority { known?.insert(first) }
                guard known?.contains(first) ?? true else { continue }
                if location.isPriority {
                    let priority = placement.node.scalar.flatMap(TreePriority.init) ?? .none
                    node = node.settingPriority(priority, at: way)
                } else {
                    node = node.setting(placement.node, at: way)
                }
            }
        }
        guard let known else { return node }
        return TreeNode(children: node.children.filter { known.contains($0.key) })
    }
}
