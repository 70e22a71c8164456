internal import BrasaDocuments
internal import BrasaGRPC
internal import BrasaMessages
internal import BrasaQueries
internal import BrasaStatus
internal import BrasaSync
internal import BrasaWire
internal import NIOCore

/// The calls over the network.
struct ServerCalls: DatastoreCalls {
    private let datastore: Datastore

    init(_ datastore: Datastore) {
        self.datastore = datastore
    }

    func read(_ path: ResourcePath) async throws(CallFailure) -> StoredDocument {
        guard let name = DocumentName(database: self.datastore.database, path: path) else {
            throw CallFailure(SyncError(.invalidArgument, "'\(path)' is no document."))
        }
        let request = BatchGetDocumentsRequest(database: self.datastore.database, documents: [name])
        let responses = try await self.call { () async throws(CallError) in
            try await self.datastore.batchGetDocuments(request)
        }
        for response in responses {
            switch response.result {
            case .found(let found)?:
                guard let document = found.document else { continue }
                return StoredDocument(version: .at(document.updateTime), fields: document.fields)
            case .missing?: return StoredDocument(version: .missing, fields: nil)
            case nil: continue
            }
        }
        throw CallFailure(SyncError(.internal, "The server did not say whether '\(path)' exists."))
    }

    func aggregate(
        _ query: StructuredAggregationQuery,
        parent: ResourcePath
    ) async throws(CallFailure) -> [(alias: UTF8Text, value: Value)] {
        guard let name = ParentName(database: self.datastore.database, path: parent) else {
            throw CallFailure(SyncError(.invalidArgument, "'\(parent)' is no parent of collections."))
        }
        let request = RunAggregationQueryRequest(parent: name, query: query)
        let responses = try await self.call { () async throws(CallError) in
            try await self.datastore.runAggregationQuery(request)
        }
        return responses.flatMap { $0.result ?? [] }.map { ($0.alias, $0.value) }
    }

    func paths(_ query: StructuredQuery, parent: ResourcePath) async throws(CallFailure) -> [ResourcePath] {
        try await self.responses(query, parent: parent, .strong).compactMap { $0.document?.name.path }
    }

    func results(
        _ query: StructuredQuery,
        parent: ResourcePath,
        at time: BrasaDocuments.Timestamp?
    ) async throws(CallFailure) -> ResultPage {
        let consistency = time.map { ReadConsistency.readTime(ReadTime($0)) } ?? .strong
        let responses = try await self.responses(query, parent: parent, consistency)
        var documents: [(ResourcePath, EncodedFields)] = []
        for case let found? in responses.map(\.document) {
            guard let document = found.document else {
                throw CallFailure(
                    SyncError(.internal, "The server has sent '\(found.name.path.string)' without its times.")
                )
            }
            documents.append((found.name.path, document.fields))
        }
        return ResultPage(documents: documents, readTime: responses.lazy.compactMap(\.readTime).first)
    }

    private func responses(
        _ query: StructuredQuery,
        parent: ResourcePath,
        _ consistency: ReadConsistency
    ) async throws(CallFailure) -> [RunQueryResponse] {
        guard let name = ParentName(database: self.datastore.database, path: parent) else {
            throw CallFailure(SyncError(.invalidArgument, "'\(parent)' is no parent of collections."))
        }
        let request = RunQueryRequest(parent: name, query: query, consistency: consistency)
        return try await self.call { () async throws(CallError) in try await self.datastore.runQuery(request) }
    }

    func batchWrite(
        _ writes: [Write]
    ) async throws(CallFailure) -> [Result<BrasaDocuments.Timestamp?, SyncError>] {
        let request = BatchWriteRequest(database: self.datastore.database, writes: writes)
        let response = try await self.call { () async throws(CallError) in
            try await self.datastore.batchWrite(request)
        }
        return zip(response.statuses, response.writeResults).map { status, result in
            status.code == .ok ? .success(result.updateTime) : .failure(SyncError(status))
        }
    }

    func beginTransaction() async throws(CallFailure) -> [UInt8] {
        let request = BeginTransactionRequest(database: self.datastore.database, options: .readWrite(retry: []))
        return try await self.call { () async throws(CallError) in
            try await self.datastore.beginTransaction(request)
        }.transaction
    }

    func commit(_ writes: [Write], transaction: [UInt8]) async throws(CallFailure) {
        let request = CommitRequest(database: self.datastore.database, writes: writes, transaction: transaction)
        _ = try await self.call { () async throws(CallError) in
            try await self.datastore.commit(request, whenCancelled: .endsUnlessSent)
        }
    }

    func rollback(transaction: [UInt8], within time: Duration) async throws(CallFailure) {
        let request = RollbackRequest(database: self.datastore.database, transaction: transaction)
        try await self.call { () async throws(CallError) in
            try await self.datastore.rollback(request, within: TimeAmount(time))
        }
    }

    private func call<Response>(
        _ body: () async throws(CallError) -> Response
    ) async throws(CallFailure) -> Response {
        do {
            return try await body()
        } catch {
            throw CallFailure(error.syncError, mayHaveBeenApplied: error.mayHaveBeenApplied)
        }
    }
}
