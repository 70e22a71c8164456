/// The storage could not run a transaction, and nothing of it has happened. It may work later.
package struct StorageError: Error, Sendable {
    package let operation: StorageOperation
    /// For the log.
    package let reason: String
    /// What was read back cannot be what was written, nor become it, where other errors may pass. What SQLite itself
    /// finds is not in it.
    package let isDamage: Bool
    /// What the disk's own software said.
    package let cause: (any Error)?

    package init(_ operation: StorageOperation, reason: String, cause: (any Error)? = nil) {
        self.operation = operation
        self.reason = reason
        self.isDamage = false
        self.cause = cause
    }

    package init(_ operation: StorageOperation, damaged what: String) {
        self.operation = operation
        self.reason = "the cache is damaged: \(what)"
        self.isDamage = true
        self.cause = nil
    }
}

/// What a transaction is for.
package enum StorageOperation: String, Hashable, Sendable, CaseIterable {
    case writeLocally = "Locally write mutations"
    case allocateTarget = "Allocate target"
    case releaseTarget = "Release target"
    case executeQuery = "Execute query"
    case applyRemoteEvent = "Apply remote event"
    case lastRemoteSnapshotVersion = "Get last remote snapshot version"
    case acknowledgeBatch = "Acknowledge batch"
    case rejectBatch = "Reject batch"
    case nextBatch = "Get next mutation batch"
    case noteWriteStream = "Note write stream"
    case highestBatchID = "Get highest unacknowledged batch id"
    case notifyLocalViewChanges = "notifyLocalViewChanges"
    case handleUserChange = "Handle user change"
    case collectGarbage = "Collect garbage"
    case readDocument = "read document"
    case remoteKeys = "Get remote document keys"
    case bundle = "Apply bundle"
    case configureIndexes = "Configure indexes"
    case backfillIndexes = "Backfill indexes"

    /// Whether the transaction, and with it all before, is to survive the loss of power; of the others the last may be
    /// lost. A refused batch that came back would be taken for the one that the server's next answer is about.
    package var isDurable: Bool { [.writeLocally, .noteWriteStream, .rejectBatch].contains(self) }
}
