internal import BrasaDocuments
internal import BrasaQueries
internal import BrasaSync

/// The calls over the network, as far as the gate lets them through.
struct GatedCalls: DatastoreCalls {
    /// Nil where the gate never opens.
    let calls: (any DatastoreCalls)?
    let gate: CallGate
    /// For those who have waited at the gate: when it is closed just then, their calls are as if they were under way. Its end
    /// stops them all the same.
    var isPassed = false

    private func pass() throws(CallFailure) -> any DatastoreCalls {
        try self.pass(isPassed: self.isPassed)
    }

    private func pass(isPassed: Bool) throws(CallFailure) -> any DatastoreCalls {
        do throws(SyncError) {
            if isPassed { try self.gate.checkEnd() } else { try self.gate.check() }
        } catch {
            throw CallFailure(error)
        }
        guard let calls = self.calls else { throw CallFailure(SyncClient.terminated) }
        return calls
    }

    func documents(
        _ paths: [ResourcePath],
        mask: [BrasaDocuments.FieldPath]?,
        at time: BrasaDocuments.Timestamp?
    ) async throws(CallFailure) -> [StoredDocument] {
        try await self.pass().documents(paths, mask: mask, at: time)
    }

    func aggregate(
        _ query: StructuredAggregationQuery,
        parent: ResourcePath
    ) async throws(CallFailure) -> [(alias: UTF8Text, value: Value)] {
        try await self.pass().aggregate(query, parent: parent)
    }

    func paths(_ query: StructuredQuery, parent: ResourcePath) async throws(CallFailure) -> [ResourcePath] {
        try await self.pass().paths(query, parent: parent)
    }

    func results(
        _ query: StructuredQuery,
        parent: ResourcePath,
        at time: BrasaDocuments.Timestamp?
    ) async throws(CallFailure) -> ResultPage {
        try await self.pass().results(query, parent: parent, at: time)
    }

    func collectionIDs(
        below parent: ResourcePath,
        at time: BrasaDocuments.Timestamp?
    ) async throws(CallFailure) -> [UTF8Text] {
        try await self.pass().collectionIDs(below: parent, at: time)
    }

    func batchWrite(
        _ writes: [Write]
    ) async throws(CallFailure) -> [Result<BrasaDocuments.Timestamp?, SyncError>] {
        try await self.pass().batchWrite(writes)
    }

    func beginTransaction() async throws(CallFailure) -> [UInt8] {
        try await self.pass().beginTransaction()
    }

    func commit(_ writes: [Write], transaction: [UInt8]) async throws(CallFailure) {
        try await self.pass().commit(writes, transaction: transaction)
    }

    /// Also while the network is disabled: it is a part of what was begun before, and nobody else can tell what became of a
    /// commit whose answer was lost.
    func rollback(transaction: [UInt8], within time: Duration) async throws(CallFailure) {
        try await self.pass(isPassed: true).rollback(transaction: transaction, within: time)
    }
}
