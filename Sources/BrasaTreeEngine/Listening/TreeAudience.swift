package import BrasaTree

/// Who listens to a tree whose versions somebody else keeps. The version that the listeners were told of is all that it
/// knows of the tree; it goes on commit by commit, or past many at once.
package struct TreeAudience: Sendable {
    package private(set) var root: TreeNode
    private var listeners = ListenerTree()

    package init(_ root: TreeNode) {
        self.root = root
    }

    /// Of all that windows are found by, how many children it keeps something of.
    package var indexEntries: Int { self.listeners.indexEntries }

    /// Of a target that nobody listens to in its order: how many other orders its node has, and how many children would have to
    /// be sorted and kept. Nil when nothing has to be.
    package func newIndex(for target: TreeTarget) -> (others: Int, children: Int)? {
        self.listeners.newIndex(for: target, self.root)
    }

    /// Pairs of a listener and a target.
    package var listenerCount: Int { self.listeners.count }

    /// Begins to tell a listener of a target's changes, from the version that is there now on.
    package mutating func add(
        _ listener: TreeListenerID,
        to target: TreeTarget,
        holding hash: String = "",
        _ compound: CompoundHash? = nil
    ) -> TreeListenStart.Content {
        let node = self.listeners.add(listener, to: target, self.root)
        if node.agrees(with: hash) { return .same }
        if target.query == nil, let merges = compound?.merges(to: node) { return .merges(merges) }
        return .whole(node)
    }

    package mutating func remove(_ listener: TreeListenerID, from target: TreeTarget) {
        self.listeners.remove(listener, from: target)
    }

    /// What the target's listeners see now; nil when there are none.
    package func shown(_ target: TreeTarget) -> TreeNode? { self.listeners.shown(target, self.root) }

    /// The next version, and what was done to make it. One event for each target, whatever was done.
    package mutating func advance(to root: TreeNode, by changes: [TreeChange]) -> [TreeNotice] {
        if changes.count == 1 { return self.take(changes[0], to: root) }
        // Several writes of one commit are seen as one.
        let placements = changes.flatMap(\.placements)
        return self.take(TreeChange(path: .root, isUpdate: true, placements: placements), to: root)
    }

    /// A later version, when what was done in between is not known: what differs is told as if it had been set.
    package mutating func pass(to root: TreeNode) -> [TreeNotice] {
        let placement = TreeChange.Placement(location: TreeLocation(.root), node: root)
        return self.take(TreeChange(path: .root, isUpdate: false, placements: [placement]), to: root)
    }

    private mutating func take(_ change: TreeChange, to root: TreeNode) -> [TreeNotice] {
        let commit = TreeCommit(version: 0, milliseconds: 0, change: change, before: self.root, after: root)
        self.root = root
        return self.listeners.notices(of: commit)
    }
}
