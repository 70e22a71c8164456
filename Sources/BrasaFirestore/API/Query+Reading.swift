internal import BrasaQueries
internal import BrasaSync
internal import Foundation

extension Query {
    /// Reads the results from the server, or from the cache when the server cannot be reached.
    public func getDocuments(
        source: FirestoreSource = .default,
        completion: @escaping (QuerySnapshot?, (any Error)?) -> Void
    ) {
        let core = trapping { () throws(UsageError) in
            try self.checkReadable()
            return try self.firestore.core()
        }
        self.read(core, source) { result in
            core.tell {
                switch result {
                case .success(let view): completion(QuerySnapshot(query: self, view: view), nil)
                case .failure(let error): completion(nil, error.nsError)
                }
            }
        }
    }

    @discardableResult
    nonisolated(nonsending) public func getDocuments(
        source: FirestoreSource = .default
    ) async throws -> QuerySnapshot {
        let core = try throwing { () throws(UsageError) in
            try self.checkReadable()
            return try self.firestore.core()
        }
        return try await withCheckedThrowingContinuation { continuation in
            self.read(core, source) { result in
                continuation.resume(with: result.map { QuerySnapshot(query: self, view: $0) }.mapError { $0.nsError })
            }
        }
    }

    /// The handler is called on the executor.
    private func read(
        _ core: ClientCore,
        _ source: FirestoreSource,
        _ handler: @escaping (Result<ViewSnapshot, SyncError>) -> Void
    ) {
        let query = self.syncQuery
        core.run { client in
            switch query {
            case .failure(let error): handler(.failure(error))
            case .success(let query): client.getDocuments(query, source: ReadSource(source), completion: handler)
            }
        }
    }

    private func checkReadable() throws(UsageError) {
        if self.definition.limitKind == .last, self.definition.orders.isEmpty {
            throw UsageError("limit(toLast:) needs an order.")
        }
    }

    /// As the engine knows it. What the server would refuse is an error here as well.
    var syncQuery: Result<SyncQuery, SyncError> {
        let structured: StructuredQuery
        do {
            structured = try self.definition.structured()
        } catch {
            return .failure(SyncError(.invalidArgument, error.message))
        }
        return Result { () throws(QueryError) in
            try SyncQuery(
                structured,
                parent: self.definition.parent,
                limitType: self.definition.limitKind == .last ? .last : .first,
                database: self.firestore.database
            )
        }.mapError { SyncError(.invalidArgument, $0.message) }
    }
}
