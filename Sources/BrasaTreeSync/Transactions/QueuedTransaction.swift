package import BrasaTree

/// What a user makes of a value: what is to stand in its place, or nil for nothing.
package typealias TransactionUpdate = @Sendable (TreeNode) -> TreeTemplate?

package struct TreeTransactionID: Hashable, Comparable, Sendable {
    package let number: Int

    package static func < (left: Self, right: Self) -> Bool { left.number < right.number }
}

/// How a transaction ended.
package struct TransactionEnd: Sendable {
    package enum Outcome: Equatable, Sendable {
        /// With what it wrote.
        case committed(TreeNode)
        /// The user wanted nothing written. With what it was run on.
        case aborted(TreeNode)
        case failed(status: String)
        /// What the user wanted written cannot be.
        case invalid(TreeError)
    }

    package let id: TreeTransactionID
    package let outcome: Outcome

    /// A set or an update over its place.
    package static let overwritten = "set"
    /// The server's value was another each time.
    package static let tooManyTries = "maxretry"
    /// It was sent when the connection ended: whether it was carried out is not known.
    package static let disconnected = "disconnect"
}

/// A transaction between its first run and its end.
struct QueuedTransaction: Sendable {
    enum Phase: Equatable, Sendable {
        /// To be sent.
        case waiting
        case sent(put: Int)
        /// Overwritten since it was sent: not to be run again, whatever the answer.
        case overwritten(put: Int)
        case doomed(status: String)
    }

    /// How often one is sent.
    static let triesMax = 25

    let id: TreeTransactionID
    let path: TreePath
    let update: TransactionUpdate
    let isShown: Bool
    /// Keeps the place listened to, so that there is something to run on.
    let listener: SyncListenerID
    var phase = Phase.waiting
    var tries = 0
    /// What it was run on last, and what came of it.
    var input: TreeNode
    var output: PendingWrite
}

extension PendingWrite {
    /// Of a write to a single place: what stands there then.
    var node: TreeNode { self.change.placements.first?.node ?? .absent }

    var template: TreeTemplate { self.write.assignments.first?.template ?? TreeTemplate(.absent) }
}
