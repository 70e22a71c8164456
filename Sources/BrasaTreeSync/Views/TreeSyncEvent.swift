package import BrasaTree

/// Who is told of events: one observer of one query.
package struct SyncListenerID: Hashable, Comparable, Sendable {
    package let number: Int

    package static func < (left: Self, right: Self) -> Bool { left.number < right.number }
}

/// What the listeners of one query are told.
package struct TreeSyncEvent: Sendable {
    package enum Kind: Equatable, Sendable {
        case child(ChildEvent)
        /// The query's result: without the node's own priority where the query does not show everything.
        case value(TreeNode)
        /// The server does not let it be read (any more). Nothing follows.
        case refused(status: String)
    }

    package let path: TreePath
    package let query: TreeQuery
    /// In the order in which they came.
    package let listeners: [SyncListenerID]
    package let kind: Kind
}
