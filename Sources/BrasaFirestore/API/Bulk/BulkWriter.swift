internal import BrasaDocuments
internal import BrasaSync

/// Writes many documents, each by itself: for imports and clean-ups that no listener of this client watches. The writes
/// go to the server past cache and queue, in batches and at a growing rate, and each has its own result.
///
/// ```swift
/// let writer = Firestore.firestore().bulkWriter()
/// for city in cities {
///     try await writer.setData(city.fields, forDocument: db.document("cities/\(city.id)"))
/// }
/// await writer.close()
/// ```
///
/// The functions return once there is room for the write; what became of it, its receipt says. Writes to one document
/// are done in their order, writes to several in any.
///
/// While the network is disabled, writes wait; when the client is terminated, those that were not sent fail with
/// `failedPrecondition` and none is tried again: one that was sent and may have been applied fails as its last attempt did. A task that is cancelled while it waits for room adds nothing; one that is
/// cancelled while it waits for a receipt only stops waiting.
public final class BulkWriter: Sendable {
    private let firestore: Firestore
    let sender: BulkSender

    init(firestore: Firestore, core: ClientCore, options: BulkWriterOptions) {
        self.firestore = firestore
        self.sender = BulkSender(firestore: firestore, calls: core.passedCalls, gate: core.gate, options: options)
    }

    /// Creates a document, which must not exist.
    @discardableResult
    nonisolated(nonsending) public func create(
        _ data: [String: Any],
        forDocument document: DocumentReference
    ) async throws -> BulkWriteReceipt {
        try await self.add(document) { reader throws(UsageError) in
            var write = try reader.set(data)
            write.precondition = .exists(false)
            return write
        }
    }

    @discardableResult
    nonisolated(nonsending) public func setData(
        _ data: [String: Any],
        forDocument document: DocumentReference,
        merge: Bool = false
    ) async throws -> BulkWriteReceipt {
        try await self.add(document) { reader throws(UsageError) in try reader.set(data, merge: merge) }
    }

    @discardableResult
    nonisolated(nonsending) public func setData(
        _ data: [String: Any],
        forDocument document: DocumentReference,
        mergeFields: [Any]
    ) async throws -> BulkWriteReceipt {
        try await self.add(document) { reader throws(UsageError) in try reader.merge(data, fields: mergeFields) }
    }

    @discardableResult
    nonisolated(nonsending) public func updateData(
        _ fields: [AnyHashable: Any],
        forDocument document: DocumentReference
    ) async throws -> BulkWriteReceipt {
        try await self.add(document) { reader throws(UsageError) in try reader.update(fields) }
    }

    @discardableResult
    nonisolated(nonsending) public func deleteDocument(_ document: DocumentReference) async throws -> BulkWriteReceipt {
        try await self.add(document) { reader throws(UsageError) in reader.delete() }
    }

    /// Waits until all writes so far are answered, with whatever answer.
    nonisolated(nonsending) public func flush() async {
        await self.sender.flush()
    }

    /// The same, and takes no more writes.
    nonisolated(nonsending) public func close() async {
        await self.sender.close()
    }

    nonisolated(nonsending) private func add(
        _ document: DocumentReference,
        _ read: (WriteReader) throws(UsageError) -> Write
    ) async throws -> BulkWriteReceipt {
        let write = try throwing { () throws(UsageError) in
            try self.firestore.check(document)
            return try document.write(read)
        }
        do throws(SyncError) {
            return try await self.sender.add(write)
        } catch {
            throw error.nsError
        }
    }
}

extension Firestore {
    /// A writer for many documents.
    @discardableResult
    public func bulkWriter(options: BulkWriterOptions = BulkWriterOptions()) -> BulkWriter {
        trapping { () throws(UsageError) in try self.makeBulkWriter(options) }
    }

    func makeBulkWriter(_ options: BulkWriterOptions = BulkWriterOptions()) throws(UsageError) -> BulkWriter {
        BulkWriter(firestore: self, core: try self.core(), options: options)
    }
}
