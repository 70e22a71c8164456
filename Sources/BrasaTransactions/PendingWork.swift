import BrasaDocuments

/// What is done once locks are granted.
enum PendingWork {
    case read(PendingRead)
    case scan(PendingScan)
    case commit(PendingCommit)
}

struct PendingRead {
    let transaction: Transaction
    let paths: [ResourcePath]
    let reply: Reply<ReadResult>
}

struct PendingScan {
    let transaction: Transaction
    let reply: Reply<ScanGrant>
}

struct PendingCommit {
    /// Nil for a plain commit.
    let transaction: Transaction?
    let order: CommitOrder
}
