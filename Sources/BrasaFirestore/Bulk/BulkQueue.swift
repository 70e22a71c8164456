internal import BrasaDocuments
internal import BrasaSync

/// One write on its way.
struct BulkOperation: Sendable {
    let number: Int
    let write: Write
    let receipt: BulkWriteReceipt
    var attempts = 0
    /// How the last attempt failed that may have been applied.
    var doubt: SyncError?
    var backoff = TransactionBackoff()

    var path: ResourcePath { self.write.name.path }
}

/// Writes that can be sent, oldest first. Those of one document go one after the other.
struct BulkQueue: Sendable {
    static let batchCountMax = 20

    private var waiting: [BulkOperation] = []
    /// Documents with a write that is not finished: the ones after it stay.
    private var busy: Set<ResourcePath> = []

    /// A write that is tried again goes before those that came later.
    mutating func append(_ operation: BulkOperation) {
        let index = self.waiting.lastIndex { $0.number < operation.number }
        self.waiting.insert(operation, at: index.map { $0 + 1 } ?? 0)
    }

    /// Empty when there is none that may go. Looks at so many only, since a writer of few documents has long queues.
    mutating func nextBatch() -> [BulkOperation] {
        var batch: [BulkOperation] = []
        var rest: [BulkOperation] = []
        var seen = 0
        // Of a document whose first write has to stay, the later ones have to as well.
        var held: Set<ResourcePath> = []
        for operation in self.waiting {
            guard batch.count < Self.batchCountMax, seen < 10 * Self.batchCountMax else { break }
            seen += 1
            if self.busy.contains(operation.path) || held.contains(operation.path) {
                held.insert(operation.path)
                rest.append(operation)
            } else {
                self.busy.insert(operation.path)
                batch.append(operation)
            }
        }
        self.waiting.replaceSubrange(0..<seen, with: rest)
        return batch
    }

    /// The write is finished, or will be tried again later: until then those after it stay.
    mutating func release(_ path: ResourcePath) { self.busy.remove(path) }
}
