internal import BrasaDocuments

/// Writes that are applied together or not at all.
public final class WriteBatch {
    private let firestore: Firestore
    private var writes: [Write] = []
    /// What was wrong with the first data that was: the commit fails with it, and nothing is written.
    private var failure: UsageError?
    private var isCommitted = false

    init(firestore: Firestore) {
        self.firestore = firestore
    }

    @discardableResult
    public func setData(
        _ data: [String: Any],
        forDocument document: DocumentReference,
        merge: Bool = false
    ) -> WriteBatch {
        self.add(document) { reader throws(UsageError) in try reader.set(data, merge: merge) }
    }

    @discardableResult
    public func setData(
        _ data: [String: Any],
        forDocument document: DocumentReference,
        mergeFields: [Any]
    ) -> WriteBatch {
        self.add(document) { reader throws(UsageError) in try reader.merge(data, fields: mergeFields) }
    }

    @discardableResult
    public func updateData(_ fields: [AnyHashable: Any], forDocument document: DocumentReference) -> WriteBatch {
        self.add(document) { reader throws(UsageError) in try reader.update(fields) }
    }

    @discardableResult
    public func deleteDocument(_ document: DocumentReference) -> WriteBatch {
        self.add(document) { reader throws(UsageError) in reader.delete() }
    }

    /// Queues the writes. The batch cannot be used after that.
    public func commit(completion: (((any Error)?) -> Void)?) {
        let writes = trapping { () throws(UsageError) in try self.take() }
        self.firestore.commit(writes, completion: completion)
    }

    @available(*, noasync, message: "it does not wait: await it in an async function, or pass completion: nil")
    public func commit() {
        self.commit(completion: nil)
    }

    /// Queues the writes and waits for the server. The batch cannot be used after that.
    nonisolated(nonsending) public func commit() async throws {
        let writes = try throwing { () throws(UsageError) in try self.take().get() }
        try await self.firestore.commit(writes)
    }

    private func add(
        _ document: DocumentReference,
        _ read: (WriteReader) throws(UsageError) -> Write
    ) -> WriteBatch {
        trapping { () throws(UsageError) in try self.checkUsable(for: document) }
        do throws(UsageError) {
            self.writes.append(try document.write(read))
        } catch {
            self.failure = self.failure ?? error
        }
        return self
    }

    /// What is wrong is thrown, and the batch stays as it was.
    private func addChecked(
        _ document: DocumentReference,
        _ read: (WriteReader) throws(UsageError) -> Write
    ) throws -> WriteBatch {
        try throwing { () throws(UsageError) in
            try self.checkUsable(for: document)
            self.writes.append(try document.write(read))
        }
        return self
    }

    private func take() throws(UsageError) -> Result<[Write], UsageError> {
        try self.checkUsable()
        self.isCommitted = true
        return self.failure.map { .failure($0) } ?? .success(self.writes)
    }

    private func checkUsable(for document: DocumentReference) throws(UsageError) {
        try self.checkUsable()
        try self.firestore.check(document)
    }

    private func checkUsable() throws(UsageError) {
        guard !self.isCommitted else {
            throw UsageError(illegalState: "A write batch can no longer be used after commit() was called.")
        }
    }
}

extension WriteBatch {
    @discardableResult
    public func setData<T: Encodable>(
        from value: T,
        forDocument doc: DocumentReference,
        merge: Bool = false,
        encoder: Firestore.Encoder = Firestore.Encoder()
    ) throws -> WriteBatch {
        let data = try encoder.encode(value)
        return try self.addChecked(doc) { reader throws(UsageError) in try reader.set(data, merge: merge) }
    }

    @discardableResult
    public func setData<T: Encodable>(
        from value: T,
        forDocument doc: DocumentReference,
        mergeFields: [Any],
        encoder: Firestore.Encoder = Firestore.Encoder()
    ) throws -> WriteBatch {
        let data = try encoder.encode(value)
        return try self.addChecked(doc) { reader throws(UsageError) in try reader.merge(data, fields: mergeFields) }
    }
}

extension Firestore {
    /// A new batch without writes.
    @discardableResult
    public func batch() -> WriteBatch {
        trapping { () throws(UsageError) in
            try self.start()
            return WriteBatch(firestore: self)
        }
    }

    func check(_ document: DocumentReference) throws(UsageError) {
        guard document.firestore === self else {
            throw UsageError("The reference to '\(document.path)' is from another Firestore object.")
        }
    }
}
