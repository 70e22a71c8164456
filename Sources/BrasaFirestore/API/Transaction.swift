internal import BrasaDocuments
internal import BrasaSync
internal import Dispatch
internal import Foundation
internal import Synchronization

/// Reads and, after them, writes that take effect together, if nothing that was read has changed meanwhile.
public final class Transaction: Sendable {
    let firestore: Firestore
    private let calls: any DatastoreCalls
    private let state = Mutex(TransactionState())
    private let id: TransactionID

    init(firestore: Firestore, calls: any DatastoreCalls, clock: TransactionClock = TransactionClock()) {
        self.firestore = firestore
        self.calls = calls
        self.id = TransactionID(calls, clock: clock)
    }

    /// Reads a document from the server, and blocks the thread until it is there.
    @discardableResult
    public func getDocument(_ document: DocumentReference) throws -> DocumentSnapshot {
        let answer = Answer<DocumentSnapshot>()
        // The thread that waits may be one of those that tasks share, and the last.
        Task(executorPreference: ThreadExecutor.reads) {
            answer.give(await Result { try await self.getDocument(document) })
        }
        return try answer.wait()
    }

    /// Reads a document from the server.
    @discardableResult
    public func getDocument(_ document: DocumentReference) async throws -> DocumentSnapshot {
        let path = try throwing { () throws(UsageError) in
            try self.firestore.check(document)
            return try document.resource
        }
        do {
            try self.state.withLock { state throws(SyncError) in try state.checkMayRead() }
            self.id.request()
            let stored = try await self.read(path)
            try self.state.withLock { state throws(SyncError) in
                try state.checkMayRead()
                try state.read(path, stored.version)
            }
            return DocumentSnapshot(
                reference: document,
                fields: stored.fields,
                metadata: SnapshotMetadata(hasPendingWrites: false, isFromCache: false)
            )
        } catch {
            throw error.nsError
        }
    }

    private func read(_ path: ResourcePath) async throws(SyncError) -> StoredDocument {
        do {
            return try await self.calls.read(path)
        } catch {
            throw error.error
        }
    }

    @discardableResult
    public func setData(
        _ data: [String: Any],
        forDocument document: DocumentReference,
        merge: Bool = false
    ) -> Transaction {
        self.add(document) { reader throws(UsageError) in try reader.set(data, merge: merge) }
    }

    @discardableResult
    public func setData(
        _ data: [String: Any],
        forDocument document: DocumentReference,
        mergeFields: [Any]
    ) -> Transaction {
        self.add(document) { reader throws(UsageError) in try reader.merge(data, fields: mergeFields) }
    }

    @discardableResult
    public func updateData(_ fields: [AnyHashable: Any], forDocument document: DocumentReference) -> Transaction {
        self.add(document) { reader throws(UsageError) in try reader.update(fields) }
    }

    @discardableResult
    public func deleteDocument(_ document: DocumentReference) -> Transaction {
        self.add(document) { reader throws(UsageError) in reader.delete() }
    }

    private func add(
        _ document: DocumentReference,
        _ read: (WriteReader) throws(UsageError) -> Write
    ) -> Transaction {
        trapping { () throws(UsageError) in
            try self.firestore.check(document)
            let write = Result { () throws(UsageError) in try document.write(read) }
            try self.add(write)
        }
        return self
    }

    /// What is wrong is thrown, and the transaction stays as it was.
    private func addChecked(
        _ document: DocumentReference,
        _ read: (WriteReader) throws(UsageError) -> Write
    ) throws -> Transaction {
        try throwing { () throws(UsageError) in
            try self.firestore.check(document)
            try self.add(.success(try document.write(read)))
        }
        return self
    }

    private func add(_ write: Result<Write, UsageError>) throws(UsageError) {
        try self.state.withLock { state throws(UsageError) in
            guard !state.isEnded else {
                throw UsageError(illegalState: "A transaction cannot be used after its block has returned.")
            }
            switch write {
            case .success(let write): state.add(write)
            case .failure(let error): state.fail(error.syncError)
            }
        }
        self.id.request()
    }
}

extension Transaction {
    /// The block has returned: all or nothing of its writes.
    func commit() async throws(CommitFailure) {
        let database = self.firestore.database
        let writes: [Write]
        do {
            writes = try self.state.withLock { state throws(SyncError) in try state.end(in: database) }
        } catch {
            self.id.abandon()
            throw .notApplied(error)
        }
        if !writes.isEmpty { try await self.id.commit(writes) }
    }

    /// The block has failed: nothing of its writes.
    func abandon() {
        self.state.withLock { $0.abandon() }
        self.id.abandon()
    }
}

extension Transaction {
    @discardableResult
    public func setData<T: Encodable>(
        from value: T,
        forDocument doc: DocumentReference,
        merge: Bool = false,
        encoder: Firestore.Encoder = Firestore.Encoder()
    ) throws -> Transaction {
        let data = try encoder.encode(value)
        return try self.addChecked(doc) { reader throws(UsageError) in try reader.set(data, merge: merge) }
    }

    @discardableResult
    public func setData<T: Encodable>(
        from value: T,
        forDocument doc: DocumentReference,
        mergeFields: [Any],
        encoder: Firestore.Encoder = Firestore.Encoder()
    ) throws -> Transaction {
        let data = try encoder.encode(value)
        return try self.addChecked(doc) { reader throws(UsageError) in try reader.merge(data, fields: mergeFields) }
    }
}
