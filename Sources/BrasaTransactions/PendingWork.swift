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
    let writes: [Write]
    /// The distinct documents that are written or verified.
    let keys: [LockKey]
    let reply: Reply<CommitResult>
    /// Only of a plain commit.
    var witness: (any CommitWitness)?
    /// In the result: the first document as the commit leaves it.
    var keepsDocument = false

    /// About what the writes take in memory while they wait.
    var byteCount: Int {
        self.writes.reduce(0) { sum, write in
            let fields =
                switch write.operation {
                case .set(let fields), .merge(let fields, _): fields.bytes.count
                case .delete, .verify: 0
                }
            return sum + fields + write.name.path.bytes.count + 256 * (1 + write.transforms.count) + write.workBytes
        }
    }
}
