internal import BrasaDocuments
internal import BrasaQueries
internal import BrasaSync

/// The calls that go to the server past cache and queue.
protocol DatastoreCalls: Sendable {
    func read(_ path: ResourcePath) async throws(CallFailure) -> StoredDocument
    func aggregate(
        _ query: StructuredAggregationQuery,
        parent: ResourcePath
    ) async throws(CallFailure) -> [(alias: UTF8Text, value: Value)]
    /// The names of a query's results.
    func paths(_ query: StructuredQuery, parent: ResourcePath) async throws(CallFailure) -> [ResourcePath]
    /// A query's results, at that time or now.
    func results(
        _ query: StructuredQuery,
        parent: ResourcePath,
        at time: BrasaDocuments.Timestamp?
    ) async throws(CallFailure) -> ResultPage
    /// Each write for itself: results in the writes' order.
    func batchWrite(
        _ writes: [Write]
    ) async throws(CallFailure) -> [Result<BrasaDocuments.Timestamp?, SyncError>]
    func beginTransaction() async throws(CallFailure) -> [UInt8]
    /// When the task is cancelled, a commit that was sent is waited for all the same.
    func commit(_ writes: [Write], transaction: [UInt8]) async throws(CallFailure)
    func rollback(transaction: [UInt8], within time: Duration) async throws(CallFailure)
}

/// A document as the server has it.
struct StoredDocument: Sendable {
    enum Version: Hashable, Sendable {
        case missing
        case at(BrasaDocuments.Timestamp)
    }

    let version: Version
    /// Nil when it is missing.
    let fields: EncodedFields?
}

/// How a call failed in the end.
struct CallFailure: Error, Sendable {
    let error: SyncError
    /// The server may have done what was asked; nobody knows.
    let mayHaveBeenApplied: Bool

    init(_ error: SyncError, mayHaveBeenApplied: Bool = false) {
        self.error = error
        self.mayHaveBeenApplied = mayHaveBeenApplied
    }
}
