internal import BrasaDocuments

// The forms without a handler are not for asynchronous code, where they would be taken for those that wait: in the top-level
// code of a `main.swift` the compiler prefers them, whatever `await` says.

extension DocumentReference {
    /// Creates or replaces the document, or with `merge` changes only the fields that the data has.
    public func setData(_ documentData: [String: Any], merge: Bool = false, completion: (((any Error)?) -> Void)?) {
        self.send(completion) { reader throws(UsageError) in try reader.set(documentData, merge: merge) }
    }

    @available(*, noasync, message: "it does not wait: await it in an async function, or pass completion: nil")
    public func setData(_ documentData: [String: Any], merge: Bool = false) {
        self.setData(documentData, merge: merge, completion: nil)
    }

    nonisolated(nonsending) public func setData(_ documentData: [String: Any], merge: Bool = false) async throws {
        try await self.send { reader throws(UsageError) in try reader.set(documentData, merge: merge) }
    }

    /// Creates the document or changes some fields of it, given as text with dots or as `FieldPath`, to what the data has
    /// for them.
    public func setData(_ documentData: [String: Any], mergeFields: [Any], completion: (((any Error)?) -> Void)?) {
        self.send(completion) { reader throws(UsageError) in try reader.merge(documentData, fields: mergeFields) }
    }

    @available(*, noasync, message: "it does not wait: await it in an async function, or pass completion: nil")
    public func setData(_ documentData: [String: Any], mergeFields: [Any]) {
        self.setData(documentData, mergeFields: mergeFields, completion: nil)
    }

    nonisolated(nonsending) public func setData(_ documentData: [String: Any], mergeFields: [Any]) async throws {
        try await self.send { reader throws(UsageError) in try reader.merge(documentData, fields: mergeFields) }
    }

    /// Changes fields, given as text with dots or as `FieldPath`, of a document that must exist.
    public func updateData(_ fields: [AnyHashable: Any], completion: (((any Error)?) -> Void)?) {
        self.send(completion) { reader throws(UsageError) in try reader.update(fields) }
    }

    @available(*, noasync, message: "it does not wait: await it in an async function, or pass completion: nil")
    public func updateData(_ fields: [AnyHashable: Any]) {
        self.updateData(fields, completion: nil)
    }

    nonisolated(nonsending) public func updateData(_ fields: [AnyHashable: Any]) async throws {
        try await self.send { reader throws(UsageError) in try reader.update(fields) }
    }

    /// Deletes the document, if there is one. What is in its collections stays.
    public func delete(completion: (((any Error)?) -> Void)?) {
        self.send(completion) { reader throws(UsageError) in reader.delete() }
    }

    @available(*, noasync, message: "it does not wait: await it in an async function, or pass completion: nil")
    public func delete() {
        self.delete(completion: nil)
    }

    nonisolated(nonsending) public func delete() async throws {
        try await self.send { reader throws(UsageError) in reader.delete() }
    }
}

extension DocumentReference {
    private func send(_ completion: (((any Error)?) -> Void)?, _ read: (WriteReader) throws(UsageError) -> Write) {
        let writes = Result { () throws(UsageError) in [try self.write(read)] }
        self.firestore.commit(writes, completion: completion)
    }

    /// The same for functions that throw: what is wrong with the data is thrown, and the handler is told of the rest.
    func sendChecked(
        _ completion: (((any Error)?) -> Void)?,
        _ read: (WriteReader) throws(UsageError) -> Write
    ) throws {
        let write = try throwing { () throws(UsageError) in try self.write(read) }
        self.firestore.commit(.success([write]), completion: completion)
    }

    nonisolated(nonsending) private func send(_ read: (WriteReader) throws(UsageError) -> Write) async throws {
        let write = try throwing { () throws(UsageError) in try self.write(read) }
        try await self.firestore.commit([write])
    }

    func write(_ read: (WriteReader) throws(UsageError) -> Write) throws(UsageError) -> Write {
        try read(WriteReader(name: try self.name))
    }
}

extension CollectionReference {
    /// Creates a document with a new ID, and gives its reference at once.
    @discardableResult
    public func addDocument(data: [String: Any], completion: (((any Error)?) -> Void)?) -> DocumentReference {
        let reference = self.document()
        reference.setData(data, completion: completion)
        return reference
    }

    @available(*, noasync, message: "it does not wait: await it in an async function, or pass completion: nil")
    @discardableResult
    public func addDocument(data: [String: Any]) -> DocumentReference {
        self.addDocument(data: data, completion: nil)
    }

    /// Creates a document with a new ID, and gives its reference when the server has acknowledged it.
    @discardableResult
    nonisolated(nonsending) public func addDocument(data: [String: Any]) async throws -> DocumentReference {
        let reference = self.document()
        try await reference.setData(data)
        return reference
    }
}
