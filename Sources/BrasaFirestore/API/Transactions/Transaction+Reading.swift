internal import BrasaDocuments
internal import BrasaStatus
internal import BrasaSync

extension Transaction {
    /// Reads documents from the server together, in the order of the references.
    nonisolated(nonsending) public func getAll(_ documents: [DocumentReference]) async throws -> [DocumentSnapshot] {
        let paths = try throwing { () throws(UsageError) in
            try documents.map { document throws(UsageError) in
                try self.firestore.check(document)
                return try document.resource
            }
        }
        do throws(SyncError) {
            let stored = try await self.read(paths)
            return zip(documents, stored).map { DocumentSnapshot($0, $1) }
        } catch {
            throw error.nsError
        }
    }

    /// Reads a query's results from the server, as they are or were at the time of a transaction that only reads
    /// (``TransactionOptions/isReadOnly``). Others cannot read queries: what is committed asks of documents alone that they
    /// are unchanged, and a new result would go unnoticed.
    nonisolated(nonsending) public func getDocuments(_ query: Query) async throws -> QuerySnapshot {
        try throwing { () throws(UsageError) in
            guard query.firestore === self.firestore else {
                throw UsageError("The query is from another Firestore object.")
            }
        }
        do throws(SyncError) {
            guard let point = self.point else {
                throw SyncError(.invalidArgument, "Only a transaction with isReadOnly can read the results of queries.")
            }
            try self.checkMayBeUsed()
            return try await point.read { time throws(SyncError) in
                do throws(CallFailure) {
                    let snapshot = try await query.results(self.calls, at: time)
                    return (snapshot, snapshot.serverTime)
                } catch {
                    throw error.error
                }
            }
        } catch {
            throw error.nsError
        }
    }

    /// At the transaction's time, or now.
    func stored(_ paths: [ResourcePath]) async throws(SyncError) -> [StoredDocument] {
        guard !paths.isEmpty else { return [] }
        guard let point = self.point else { return try await self.stored(paths, at: nil) }
        return try await point.read { time throws(SyncError) in
            let stored = try await self.stored(paths, at: time)
            return (stored, stored.first?.readTime ?? time)
        }
    }

    private func stored(
        _ paths: [ResourcePath],
        at time: BrasaDocuments.Timestamp?
    ) async throws(SyncError) -> [StoredDocument] {
        do {
            return try await self.calls.documents(paths, mask: nil, at: time)
        } catch {
            throw error.error
        }
    }
}
