package import BrasaTree

/// A write that was carried out. What it did is durable when its change is: the change alone makes the same tree again.
package struct TreeCommit: Sendable {
    /// Counts the commits of one database.
    package let version: Int64
    package let milliseconds: Int64
    package let change: TreeChange
    let before: TreeNode
    let after: TreeNode
}

/// What came of a write.
package struct TreeOutcome: Sendable {
    /// Nil for a write that changes nothing.
    package let result: Result<TreeCommit?, TreeRefusal>
    /// The newest commit that the result depends on. Nobody is told of it before that one is durable.
    package let version: Int64
}

package enum TreeRefusal: Error, Hashable, Sendable {
    case permissionDenied
    /// What is there is not what the writer expected.
    case stale
    case invalid(TreeError)
    /// A single read of what only listeners may ask for.
    case notIndexed(TreeQuery.Order, TreePath)
    case tooManyListeners(listenersMax: Int)
    /// More places, or bytes, than a session may leave.
    case tooManyDisconnectWrites
    case tooManyDatabases(databasesMax: Int)
    case invalidName
}

/// Who asks.
package enum TreeCaller: Hashable, Sendable {
    /// No rules are asked.
    case administrator
    /// What rules see as `auth`; null for nobody.
    case client(JSONValue)
}

/// What one database keeps at most.
package struct TreeDatabaseLimits: Hashable, Sendable {
    package var listenersMax: Int
    /// Places that one session's writes at its end have together.
    package var disconnectPlacementsMax: Int
    /// And how large what they write may be, by `TreeNode.estimate`.
    package var disconnectBytesMax: Int

    package init(
        listenersMax: Int = 1_000_000,
        disconnectPlacementsMax: Int = 2_000,
        disconnectBytesMax: Int = 1024 * 1024
    ) {
        self.listenersMax = listenersMax
        self.disconnectPlacementsMax = disconnectPlacementsMax
        self.disconnectBytesMax = disconnectBytesMax
    }
}
