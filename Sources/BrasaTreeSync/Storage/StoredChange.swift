package import BrasaTree

/// What changes of that which a client keeps over restarts: its queued writes, and what listens have brought.
package enum StoredChange: Sendable {
    /// A write without an answer, after those before it.
    case queued(PendingWrite)
    /// It has been answered, or was given up.
    case unqueued(Int)
    /// What the server says of places at a target's path or below it. The first placement of a target is all of it, unless it
    /// was `used` before.
    case set(TreeTarget, [TreeChange.Placement])
    /// A target is listened to of which its own node was given.
    case used(TreeTarget)
    /// The server has nothing new to say of what there is of a target.
    case confirmed(TreeTarget)
    /// Nobody listens any more. What was brought may be wanted again.
    case closed(TreeTarget)
    /// It may not be read, or is not known any more.
    case forgotten(TreeTarget)
}

/// Where that is kept. What cannot be kept is lost with the process, and what cannot be read is not there: whoever
/// implements it tells the user, not the engine.
package protocol TreeStorage: AnyObject {
    /// In order.
    func queuedWrites() -> [PendingWrite]
    /// What the server has last said of a target.
    func node(of target: TreeTarget) -> StoredNode?
    /// All or none, durable where it has writes in it.
    func apply(_ changes: [StoredChange])
}

/// What an earlier process knew of a target.
package struct StoredNode: Sendable {
    package let node: TreeNode
    /// What was kept for the target itself; of places below, something later may be known. Nil: the node is a part of what was
    /// kept for another.
    package let own: TreeNode?

    package init(_ node: TreeNode, own: TreeNode?) {
        (self.node, self.own) = (node, own)
    }
}
