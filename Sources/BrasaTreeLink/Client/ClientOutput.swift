package import BrasaTree
package import BrasaTreeSync

/// What a step of a client leads to, in order.
package enum ClientOutput: Sendable {
    /// To be on the disk before anything else is done. Once in a step at most.
    case store([StoredChange])
    case socket(SocketAction)
    case event(TreeSyncEvent, TreeListener.Source)
    case answered(TreeCall, TreeAnswer)
    case transactionEnded(TransactionEnd)
}

/// An observer of one query.
package struct TreeListener: Hashable, Sendable {
    package enum Source: Hashable, Sendable {
        case database
        /// What the client says of its connection, below `.info`.
        case info
    }

    package let source: Source
    package let id: SyncListenerID

    package init(_ source: Source, _ id: SyncListenerID) {
        (self.source, self.id) = (source, id)
    }
}

/// What was asked for, once, and is answered once.
package enum TreeCall: Hashable, Sendable {
    case write(Int)
    case onDisconnect(Int)
    case get(Int)
}

package enum TreeAnswer: Sendable {
    case done
    case node(TreeNode)
    /// By the server, or by the client itself: `write_canceled`.
    case refused(status: String, message: String?)
    /// No connection came about in time.
    case offline
}
