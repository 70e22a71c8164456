import BrasaTree
import BrasaTreeWatch

/// What a read or a listen may make the loop do in one turn. What is above is answered `too_big`.
struct ReadBounds {
    /// Children that a query by value, child or priority goes through; by key it goes through those that it finds.
    var queryChildrenMax = 200_000
    /// Nodes hashed to compare with what a client holds. Above it, it is sent everything.
    var hashNodesMax = 200_000
    /// Of what is shown, by `TreeNode.estimate`.
    var shownBytesMax = 64 << 20
    /// At a place that is read or listened to.
    var nodesMax = TreeLimits.readNodesMax
    /// Orders of one node's children, other than by key, that listens of a loop are kept by.
    var ordersMax = 100
    /// Of children that listens of a loop have in an order of their own, when another order is begun.
    var indexEntriesMax = 2_000_000
    /// Children, after which others of the loop have a turn.
    var turnChildrenMax = 200_000

    /// A request about what is left for the end goes through each place that is left several times, by its path.
    static let childrenOfPlace = 16

    static let tooBig = "The data requested exceeds the maximum size that can be accessed with a single request."

    /// How many children are gone through to show a target of which this is the node.
    static func children(of target: TreeTarget, _ node: TreeNode) -> Int {
        guard let query = target.query, !query.isComplete else { return 1 }
        let isByKey = query.order == .key || query.order == .priority && !node.hasChildPriorities
        return isByKey ? TreeWindow(query, of: node).count : node.childCount
    }

    /// Whether a listen may make that necessary.
    func mayKeep(_ index: TreeSession.NewIndex?) -> Bool {
        guard let index else { return true }
        return index.others < self.ordersMax && index.kept + index.children <= self.indexEntriesMax
    }

    func mayHash(_ node: TreeNode) -> Bool {
        // With priorities there are two forms, and one of them is not kept.
        node.nodeCount <= self.hashNodesMax || node.hasKeptHash && !node.hasPriorities
    }
}
