internal import BrasaApp
internal import BrasaQueries
internal import BrasaStatus
internal import BrasaSync
internal import Foundation

extension Query {
    /// Reads the results from the server, or from the cache when the server cannot be reached.
    public func getDocuments(
        source: FirestoreSource = .default,
        completion: @escaping (QuerySnapshot?, (any Error)?) -> Void
    ) {
        let core = trapping { () throws(UsageError) in try self.firestore.core() }
        if self.definition.isForServerOnly { return self.getServerOnly(source, core, completion) }
        let query = self.readableQuery
        let traced = core.tracedRead(.runQuery, source)
        core.run { client in
            _ = traced.asking {
                client.getDocuments(query, source: ReadSource(source)) { result in
                    core.tell {
                        switch result {
                        case .success(let view): completion(QuerySnapshot(query: self, view: view), nil)
                        case .failure(let error): completion(nil, error.nsError)
                        }
                    }
                }
            }
        }
    }

    @discardableResult
    nonisolated(nonsending) public func getDocuments(
        source: FirestoreSource = .default
    ) async throws -> QuerySnapshot {
        let core = try throwing { () throws(UsageError) in try self.firestore.core() }
        if self.definition.isForServerOnly { return try await self.serverOnlyResults(source, core) }
        let query = self.readableQuery
        let traced = core.tracedRead(.runQuery, source)
        let view = try await core.wait { client, done in
            let token = traced.asking { client.getDocuments(query, source: ReadSource(source), completion: done) }
            return { if let token { client.cancelRead(token) } }
        }
        return QuerySnapshot(query: self, view: view)
    }

    private func getServerOnly(
        _ source: FirestoreSource,
        _ core: ClientCore,
        _ completion: @escaping (QuerySnapshot?, (any Error)?) -> Void
    ) {
        let completion = Handed(completion)
        Task {
            let result = await Result { try await self.serverOnlyResults(source, core) }
            core.tell {
                switch result {
                case .success(let snapshot): completion.value(snapshot, nil)
                case .failure(let error): completion.value(nil, error)
                }
            }
        }
    }

    nonisolated(nonsending) private func serverOnlyResults(
        _ source: FirestoreSource,
        _ core: ClientCore
    ) async throws -> QuerySnapshot {
        do throws(CallFailure) {
            guard source != .cache else { throw CallFailure(QueryDefinition.serverOnly.syncError) }
            return try await self.results(try core.callsForReading(), at: nil)
        } catch {
            throw error.error.nsError
        }
    }

    private var readableQuery: Result<SyncQuery, SyncError> {
        do throws(UsageError) {
            try self.definition.checkHasLast()
            return self.syncQuery
        } catch {
            return .failure(error.syncError)
        }
    }

    /// As the engine knows it. What the server would refuse is an error here as well.
    var syncQuery: Result<SyncQuery, SyncError> {
        let structured: StructuredQuery
        do throws(UsageError) {
            structured = try self.definition.structured()
            if self.definition.isForServerOnly { throw QueryDefinition.serverOnly }
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

extension SyncClient {
    /// A query that is none is answered with what is wrong.
    @discardableResult
    fileprivate func getDocuments(
        _ query: Result<SyncQuery, SyncError>,
        source: ReadSource,
        completion: @escaping (Result<ViewSnapshot, SyncError>) -> Void
    ) -> ListenerToken? {
        switch query {
        case .success(let query): return self.getDocuments(query, source: source, completion: completion)
        case .failure(let error):
            completion(.failure(error))
            return nil
        }
    }
}
