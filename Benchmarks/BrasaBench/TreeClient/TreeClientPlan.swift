/// What to let the Realtime Database's Swift client do, and how hard to press.
package struct TreeClientPlan: Sendable {
    package enum Work: String, CaseIterable, Sendable {
        /// A leaf written by `setValue`, until the server has acknowledged it.
        case set
        /// A leaf incremented by `setValue(ServerValue.increment(1))`, until the server has acknowledged it.
        case increment
        /// A leaf incremented by `runTransactionBlock`.
        case transaction
        /// A leaf by `getData`, from the server.
        case get
        /// A listener to all leaves, until its first value was read. It ends then, so that the next one begins with nothing.
        case first
        /// A leaf written by another client of the process, until a listener to all leaves has been told.
        case change
        /// What an observer of all leaves is told of each that another process writes.
        case children
        /// The same of an observer of the value of all, which it reads.
        case values

        /// Another process writes, and events are counted instead of calls.
        package var isFollowing: Bool { self == .children || self == .values }
    }

    package var host: String
    package var port: Int
    package var work: Work
    /// Of the client; each does one thing after the other.
    package var tasks: Int
    /// In one node.
    package var leaves: Int
    /// Of the string that a leaf is.
    package var valueBytes: Int
    package var warmUp: Duration
    package var duration: Duration

    /// The node, which is also the one that `TreeWriter` writes to.
    static let node = TreeWriter.node

    package init(
        host: String,
        port: Int,
        work: Work,
        tasks: Int,
        leaves: Int,
        valueBytes: Int,
        warmUp: Duration,
        duration: Duration
    ) {
        self.host = host
        self.port = port
        self.work = work
        self.tasks = tasks
        self.leaves = leaves
        self.valueBytes = valueBytes
        self.warmUp = warmUp
        self.duration = duration
    }
}
