package import BrasaDocuments
import BrasaStore

/// What a transaction reads of single documents: in the order asked for, nil where there is none.
package struct ReadResult: Sendable {
    package let readTime: Timestamp
    package let documents: [Document?]
}

/// Leave to scan: the range at this time is what the transaction sees, until it ends.
package struct ScanGrant: Sendable {
    package let readTime: Timestamp
    /// For `TransactionManager.narrowScan`; zero where nothing is locked.
    package let token: UInt64
    /// Keeps that time's history until the scan has a pin of its own.
    let pin: SnapshotPin
}

package struct WriteResult: Sendable {
    /// Nil for a delete, and for the verification that a document is missing.
    package let updateTime: Timestamp?
    /// One for each transform, in order.
    package let transformResults: [Value]
}

package struct CommitResult: Sendable {
    package let commitTime: Timestamp
    /// As many as there were writes, in their order.
    package let results: [WriteResult]
    /// What the first document written is then, where that was asked for: it may have left history before it is answered.
    package var document: Document?
}
