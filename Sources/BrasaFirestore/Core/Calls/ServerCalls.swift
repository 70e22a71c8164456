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

    func documents(
        _ paths: [ResourcePath],
        mask: [BrasaDocuments.FieldPath]?,
        at time: BrasaDocuments.Timestamp?
    ) async throws(CallFailure) -> [StoredDocument] {
        guard !paths.isEmpty else { return [] }
        let request = BatchGetDocumentsRequest(
            database: self.datastore.database,
            documents: try self.names(paths),
            mask: mask,
            consistency: ReadConsistency(at: time)
        )
        let responses = try await self.call { () async throws(CallError) in
            try await self.datastore.batchGetDocuments(request)
        }
        var found: [ResourcePath: StoredDocument] = [:]
        for response in responses {
            switch response.result {
            case .found(let named)?:
                guard let document = named.document else { continue }
                found[named.name.path] = StoredDocument(document, readTime: response.readTime)
            case .missing(let name)?: found[name.path] = StoredDocument(missingAt: response.readTime)
            case nil: continue
            }
        }
        return try paths.map { path throws(CallFailure) in
            guard let document = found[path] else {
                throw CallFailure(SyncError(.internal, "The server did not say whether '\(path)' exists."))
            }
            return document
        }
    }

    /// Each once.
    private func names(_ paths: [ResourcePath]) throws(CallFailure) -> [DocumentName] {
        var seen: Set<ResourcePath> = []
        var names: [DocumentName] = []
        for path in paths where paths.count == 1 || seen.insert(path).inserted {
            guard let name = DocumentName(database: self.datastore.database, path: path) else {
                throw CallFailure(SyncError(.invalidArgument, "'\(path)' is no document."))
            }
            names.append(name)
        }
        return names
    }

    func collectionIDs(
        below parent: ResourcePath,
        at time: BrasaDocuments.Timestamp?
    ) async throws(CallFailure) -> [UTF8Text] {
        var request = ListCollectionIdsRequest(parent: try self.parent(parent), readTime: time.map { ReadTime($0) })
        var ids: [UTF8Text] = []
        repeat {
            let page = request
            let response = try await self.call { () async throws(CallError) in
                try await self.datastore.listCollectionIds(page)
            }
            ids.append(contentsOf: response.collectionIDs)
            request.pageToken = response.nextPageToken
        } while !request.pageToken.bytes.isEmpty
        return ids
    }

    func aggregate(
        _ query: StructuredAggregationQuery,
        parent: ResourcePath
    ) async throws(CallFailure) -> [(alias: UTF8Text, value: Value)] {
        let request = RunAggregationQueryRequest(parent: try self.parent(parent), query: query)
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
        let responses = try await self.responses(query, parent: parent, ReadConsistency(at: time))
        var documents: [(ResourcePath, Document)] = []
        for case let found? in responses.map(\.document) {
            guard let document = found.document else {
                throw CallFailure(
                    SyncError(.internal, "The server has sent '\(found.name.path.string)' without its times.")
                )
            }
            documents.append((found.name.path, document))
        }
        return ResultPage(documents: documents, readTime: responses.lazy.compactMap(\.readTime).first)
    }

    private func responses(
        _ query: StructuredQuery,
        parent: ResourcePath,
        _ consistency: ReadConsistency
    ) async throws(CallFailure) -> [RunQueryResponse] {
        let request = RunQueryRequest(parent: try self.parent(parent), query: query, consistency: consistency)
        return try await self.call { () async throws(CallError) in try await self.datastore.runQuery(request) }
    }

    private func parent(_ path: ResourcePath) throws(CallFailure) -> ParentName {
        guard let name = ParentName(database: self.datastore.database, path: path) else {
            throw CallFailure(SyncError(.invalidArgument, "'\(path)' is no parent of collections."))
        }
        return name
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

extension ReadConsistency {
    /// Nil: now.
    fileprivate init(at time: BrasaDocuments.Timestamp?) {
        self = time.map { .readTime(ReadTime($0)) } ?? .strong
    }
}
