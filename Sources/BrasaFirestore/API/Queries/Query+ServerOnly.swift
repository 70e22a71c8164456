internal import BrasaDocuments
internal import BrasaQueries
internal import BrasaSync

// What servers can ask for and no cache can answer: queries with one of these are read from the server only, without the
// writes that are queued here, and cannot be listened to.

extension Query {
    /// Reads only some fields of the results, given as text with dots or as `FieldPath`; none gives the documents' names
    /// alone. Such a query is read from the server, and cannot be listened to.
    @discardableResult
    public func select(_ fields: [Any]) -> Query {
        self.changed { definition throws(UsageError) in
            var paths: [BrasaDocuments.FieldPath] = []
            for field in fields { paths.append(try FieldPath(any: field).stored) }
            definition.select(paths)
        }
    }

    /// Leaves out the first results, of whatever number of them, before a limit counts; with `limit(toLast:)` the last
    /// ones. They cost the server as much as if they were read: where it can be, begin behind a document instead. Such a
    /// query is read from the server, and cannot be listened to.
    @discardableResult
    public func offset(_ offset: Int) -> Query {
        self.changed { definition throws(UsageError) in try definition.offset(by: offset) }
    }

    /// Reads the results as they were at a time, from the server. How far back it remembers is the server's to say, often
    /// an hour.
    @discardableResult
    nonisolated(nonsending) public func getDocuments(readTime: Timestamp) async throws -> QuerySnapshot {
        let core = try throwing { () throws(UsageError) in try self.firestore.core() }
        let time = try throwing { () throws(UsageError) in try readTime.stored }
        do throws(CallFailure) {
            return try await self.results(try core.callsForReading(), at: time)
        } catch {
            throw error.error.nsError
        }
    }

    /// From the server, past cache and queued writes.
    func results(
        _ calls: any DatastoreCalls,
        at time: BrasaDocuments.Timestamp?
    ) async throws(CallFailure) -> QuerySnapshot {
        let request: StructuredQuery
        do throws(UsageError) {
            request = try self.definition.structuredFromFirst()
        } catch {
            throw CallFailure(error.syncError)
        }
        var page = try await calls.results(request, parent: self.definition.parent, at: time)
        if self.definition.limitKind == .last { page.documents.reverse() }
        return QuerySnapshot(query: self, page)
    }
}

extension QueryDefinition {
    static let serverOnly = UsageError(
        "A query with select() or offset() is answered by the server only: it has no results in the cache, and nobody can "
            + "listen to it."
    )
}

extension ClientCore {
    /// As `callsOnline`, for those who tell failures themselves.
    func callsForReading() throws(CallFailure) -> any DatastoreCalls {
        do throws(SyncError) {
            try self.gate.check()
        } catch {
            throw CallFailure(error)
        }
        return self.calls
    }
}

extension ResultPage {
    func snapshots(_ firestore: Firestore) -> [QueryDocumentSnapshot] {
        self.documents.map { path, document in
            QueryDocumentSnapshot(firestore, path, document, readTime: self.readTime)
        }
    }
}
