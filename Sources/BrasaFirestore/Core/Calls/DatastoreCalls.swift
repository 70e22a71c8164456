internal import BrasaDocuments
internal import BrasaQueries
internal import BrasaSync

/// The calls that go to the server past cache and queue.
protocol DatastoreCalls: Sendable {
    /// Documents as they all were at that time, or are now, in the order of the paths; with a mask only its fields.
    func documents(
        _ paths: [ResourcePath],
        mask: [BrasaDocuments.FieldPath]?,
        at time: BrasaDocuments.Timestamp?
    ) async throws(CallFailure) -> [StoredDocument]
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
    /// The ids of all collections directly below a document or the root.
    func collectionIDs(
        below parent: ResourcePath,
        at time: BrasaDocuments.Timestamp?
    ) async throws(CallFailure) -> [UTF8Text]
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
    let createTime: BrasaDocuments.Timestamp?
    /// Nil when the server did not say.
    let readTime: BrasaDocuments.Timestamp?

    init(missingAt readTime: BrasaDocuments.Timestamp?) {
        self.version = .missing
        self.fields = nil
        self.createTime = nil
        self.readTime = readTime
    }

    init(_ document: Document, readTime: BrasaDocuments.Timestamp?) {
        self.version = .at(document.updateTime)
        self.fields = document.fields
        self.createTime = document.createTime
        self.readTime = readTime
    }
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
