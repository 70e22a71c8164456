internal import BrasaDocuments
internal import BrasaStatus
internal import BrasaSync
internal import Dispatch
internal import Foundation
internal import Synchronization

/// Reads and, after them, writes that take effect together, if nothing that was read has changed meanwhile.
public final class Transaction: Sendable {
    let firestore: Firestore
    let calls: any DatastoreCalls
    /// Nil unless it only reads.
    let point: ReadPoint?
    private let state = Mutex(TransactionState())
    private let id: TransactionID

    init(
        firestore: Firestore,
        calls: any DatastoreCalls,
        clock: TransactionClock = TransactionClock(),
        point: ReadPoint? = nil
    ) {
        self.firestore = firestore
        self.calls = calls
        self.point = point
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
    nonisolated(nonsending) public func getDocument(_ document: DocumentReference) async throws -> DocumentSnapshot {
        let path = try throwing { () throws(UsageError) in
            try self.firestore.check(document)
            return try document.resource
        }
        do throws(SyncError) {
            guard let stored = try await self.read([path]).first else { throw .noAnswer }
            return DocumentSnapshot(document, stored)
        } catch {
            throw error.nsError
        }
    }

    /// Reads documents, and notes what they were where something may be committed upon that.
    func read(_ paths: [ResourcePath]) async throws(SyncError) -> [StoredDocument] {
        try self.state.withLock { state throws(SyncError) in try state.checkMayRead() }
        if self.point == nil { self.id.request() }
        let stored = try await self.stored(paths)
        try self.state.withLock { state throws(SyncError) in
            try state.checkMayRead()
            guard self.point == nil else { return }
            for (path, document) in zip(paths, stored) { try state.read(path, document.version) }
        }
        return stored
    }

    func checkMayBeUsed() throws(SyncError) {
        try self.state.withLock { state throws(SyncError) in try state.checkMayBeUsed() }
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
            case _ where self.point != nil:
                state.fail(SyncError(.invalidArgument, "A transaction that only reads cannot write."))
            case .success(let write): state.add(write)
            case .failure(let error): state.fail(error.syncError)
            }
        }
        if self.point == nil { self.id.request() }
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
