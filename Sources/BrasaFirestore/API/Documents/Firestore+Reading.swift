internal import BrasaDocuments
internal import BrasaSync

extension Firestore {
    /// Reads documents from the server together, all as they are at one time, in the order of the references; those that do
    /// not exist say so. Cache and queued writes play no part in it.
    ///
    /// - Parameters:
    ///   - fieldMask: The only fields to read, given as text with dots or as `FieldPath`; nil reads all.
    ///   - readTime: Reads the documents as they were then. How far back it remembers is the server's to say, often an hour.
    nonisolated(nonsending) public func getAll(
        _ documents: [DocumentReference],
        fieldMask: [Any]? = nil,
        readTime: Timestamp? = nil
    ) async throws -> [DocumentSnapshot] {
        let core = try throwing { () throws(UsageError) in try self.core() }
        let request = try throwing { () throws(UsageError) in try BatchRead(documents, of: self, fieldMask, readTime) }
        do throws(CallFailure) {
            return try await request.snapshots(try core.callsForReading())
        } catch {
            throw error.error.nsError
        }
    }

    /// The collections at the root that have documents, or documents below them.
    nonisolated(nonsending) public func listCollections(readTime: Timestamp? = nil) async throws
        -> [CollectionReference]
    {
        try await self.collections(below: .root, readTime)
    }

    nonisolated(nonsending) fileprivate func collections(
        below parent: ResourcePath,
        _ readTime: Timestamp?
    ) async throws -> [CollectionReference] {
        let core = try throwing { () throws(UsageError) in try self.core() }
        let time = try throwing { () throws(UsageError) in try readTime?.stored }
        do throws(CallFailure) {
            let ids = try await core.callsForReading().collectionIDs(below: parent, at: time)
            return ids.map { CollectionReference(firestore: self, place: .collection($0.string, below: .path(parent))) }
        } catch {
            throw error.error.nsError
        }
    }
}

extension DocumentReference {
    /// The document's collections that have documents, or documents below them; the document need not exist.
    nonisolated(nonsending) public func listCollections(readTime: Timestamp? = nil) async throws
        -> [CollectionReference]
    {
        let path = try throwing { () throws(UsageError) in try self.resource }
        return try await self.firestore.collections(below: path, readTime)
    }

    /// Reads the document as it was at a time, from the server. How far back it remembers is the server's to say, often an
    /// hour.
    nonisolated(nonsending) public func getDocument(readTime: Timestamp) async throws -> DocumentSnapshot {
        let documents = try await self.firestore.getAll([self], readTime: readTime)
        // One for each reference.
        guard let document = documents.first else { throw SyncError.noAnswer.nsError }
        return document
    }
}

/// Documents to be read together.
struct BatchRead: Sendable {
    private let references: [DocumentReference]
    private let paths: [ResourcePath]
    private let mask: [BrasaDocuments.FieldPath]?
    private let time: BrasaDocuments.Timestamp?

    init(
        _ references: [DocumentReference],
        of firestore: Firestore,
        _ mask: [Any]? = nil,
        _ time: Timestamp? = nil
    ) throws(UsageError) {
        self.references = references
        self.paths = try references.map { reference throws(UsageError) in
            try firestore.check(reference)
            return try reference.resource
        }
        self.mask = try mask?.map { field throws(UsageError) in try FieldPath(any: field).stored }
        self.time = try time?.stored
    }

    func snapshots(_ calls: any DatastoreCalls) async throws(CallFailure) -> [DocumentSnapshot] {
        let stored = try await calls.documents(self.paths, mask: self.mask, at: self.time)
        return zip(self.references, stored).map { DocumentSnapshot($0, $1) }
    }
}
