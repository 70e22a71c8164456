internal import BrasaDocuments

extension DocumentReference {
    /// Creates or replaces the document, or with `merge` changes only the fields that the data has.
    public func setData(
        _ documentData: [String: Any],
        merge: Bool = false,
        completion: (((any Error)?) -> Void)? = nil
    ) {
        self.send(completion) { reader throws(UsageError) in try reader.set(documentData, merge: merge) }
    }

    nonisolated(nonsending) public func setData(_ documentData: [String: Any], merge: Bool = false) async throws {
        try await self.send { reader throws(UsageError) in try reader.set(documentData, merge: merge) }
    }

    /// Creates the document or changes some fields of it, given as text with dots or as `FieldPath`, to what the data has
    /// for them.
    public func setData(
        _ documentData: [String: Any],
        mergeFields: [Any],
        completion: (((any Error)?) -> Void)? = nil
    ) {
        self.send(completion) { reader throws(UsageError) in try reader.merge(documentData, fields: mergeFields) }
    }

    nonisolated(nonsending) public func setData(_ documentData: [String: Any], mergeFields: [Any]) async throws {
        try await self.send { reader throws(UsageError) in try reader.merge(documentData, fields: mergeFields) }
    }

    /// Changes fields, given as text with dots or as `FieldPath`, of a document that must exist.
    public func updateData(_ fields: [AnyHashable: Any], completion: (((any Error)?) -> Void)? = nil) {
        self.send(completion) { reader throws(UsageError) in try reader.update(fields) }
    }

    nonisolated(nonsending) public func updateData(_ fields: [AnyHashable: Any]) async throws {
        try await self.send { reader throws(UsageError) in try reader.update(fields) }
    }

    /// Deletes the document, if there is one. What is in its collections stays.
    public func delete(completion: (((any Error)?) -> Void)? = nil) {
        self.send(completion) { reader throws(UsageError) in reader.delete() }
    }

    nonisolated(nonsending) public func delete() async throws {
        try await self.send { reader throws(UsageError) in reader.delete() }
    }

    private func send(
        _ completion: (((any Error)?) -> Void)?,
        _ read: (WriteReader) throws(UsageError) -> Write
    ) {
        trapping { () throws(UsageError) in
            try self.firestore.commit([try read(WriteReader(name: self.name))], completion: completion)
        }
    }

    nonisolated(nonsending) private func send(_ read: (WriteReader) throws(UsageError) -> Write) async throws {
        let write = try throwing { () throws(UsageError) in try read(WriteReader(name: self.name)) }
        try await self.firestore.commit([write])
    }
}

extension CollectionReference {
    /// Creates a document with a new ID, and gives its reference at once.
    @discardableResult
    public func addDocument(
        data: [String: Any],
        completion: (((any Error)?) -> Void)? = nil
    ) -> DocumentReference {
        let reference = self.document()
        reference.setData(data, completion: completion)
        return reference
    }

    /// Creates a document with a new ID, and gives its reference when the server has acknowledged it.
    @discardableResult
    nonisolated(nonsending) public func addDocument(data: [String: Any]) async throws -> DocumentReference {
        let reference = self.document()
        try await reference.setData(data)
        return reference
    }
}
