/// The storage could not run a transaction, and nothing of it has happened. It may work later.
package struct StorageError: Error, Sendable {
    package let operation: StorageOperation
    /// For the log.
    package let reason: String

    package init(_ operation: StorageOperation, reason: String) {
        self.operation = operation
        self.reason = reason
    }
}

/// What a transaction is for. Those that write locally or note a write stream survive the loss of power, with all before
/// them; of the others the last may be lost.
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
}
