package import BrasaDocuments
package import BrasaStore
package import BrasaTree

/// Writes to a tree as they are asked for: all of them or none, one after the other, at one time. What can be found out
/// without the tree is, before the section is entered.
package struct TreeOrder: Sendable {
    package let tree: TreeHandle
    package let writes: [PreparedTreeWrite]
    package let condition: TreeCondition?
    package let judge: TreeJudge?
    /// What a session left that these writes are of: with them it has ended, whatever they change.
    package let ending: TreeWillID?

    /// - Parameter judge: nil for those whom no rules bind.
    package init(
        _ writes: [TreeWrite],
        to tree: TreeHandle,
        onlyIf condition: TreeCondition? = nil,
        allowedBy judge: TreeJudge? = nil,
        ending: TreeWillID? = nil
    ) {
        self.tree = tree
        self.writes = writes.map { PreparedTreeWrite($0) }
        self.condition = condition
        self.judge = judge
        self.ending = ending
    }

    /// Whether a judge may be asked in the section: the work that one has grows with what is written.
    func isSmall(_ configuration: TransactionConfiguration) -> Bool {
        self.writes.reduce(0) { $0 + $1.nodeCount } <= configuration.treeHashNodesMax
            && self.writes.reduce(0) { $0 + $1.recordBytes } <= configuration.treeHashBytesMax
    }

    /// Nodes and server's values that are put into the tree one by one.
    var placements: Int { self.writes.reduce(0) { $0 + $1.placements } }

    /// What is found out without the tree, and before everybody waits for it.
    func refusal(in store: Store, _ configuration: TransactionConfiguration) -> TransactionError? {
        let placementsMax = configuration.treePlacementsMax
        guard self.placements <= placementsMax else { return .tooManyWrites(allowed: placementsMax) }
        let bytes = self.writes.reduce(0) { $0 + $1.recordBytes }
        return bytes > store.commitBytesMax ? .commitTooLarge : nil
    }
}

/// Writes happen only if a node is the one that a client has seen: the transactions of the Realtime Database.
package struct TreeCondition: Hashable, Sendable {
    package let path: TreePath
    /// `TreeNode.hash`; empty for no node.
    package let hash: String

    package init(path: TreePath, hash: String) {
        self.path = path
        self.hash = hash
    }

    /// Whether the condition holds, and of which node that was found out.
    struct Judgement: Sendable {
        let node: TreeNode
        let holds: Bool
    }

    /// Takes as long as what was written to the node since its hash was last asked for is large.
    func judgement(of root: TreeNode) -> Judgement {
        let node = root[self.path]
        return Judgement(node: node, holds: node.agrees(with: self.hash))
    }
}

/// What became of the writes.
package enum TreeOutcome: Sendable {
    case committed(TreeCommitted)
    /// The condition did not hold: the node that is there instead. Nothing was written.
    case stale(TreeNode)
    /// The judge did not allow it. Nothing was written.
    case denied
    /// Nothing was written.
    case refused(TreeError)
}

package struct TreeCommitted: Sendable {
    /// Of the commit, or of the version that it found and left as it was.
    package let time: Timestamp
    /// The whole tree afterwards.
    package let root: TreeNode
    /// What the writes did, the server's values worked out: one for each write.
    package let changes: [TreeChange]
}
