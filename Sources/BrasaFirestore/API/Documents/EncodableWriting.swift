// Throws what encoding throws, and what is wrong with what it gave, before anything is queued; what the server says comes to
// the handler. Behind `await` these wait for nothing, and the compiler warns of it; those that wait have a label of their own,
// `encoding:`.

extension DocumentReference {
    /// Creates or replaces the document, or with `merge` changes only the fields that the value has. It does not wait
    /// for the server, also behind `await`: for that, there is `setData(encoding:)`.
    public func setData<T: Encodable>(
        from value: T,
        merge: Bool = false,
        encoder: Firestore.Encoder = Firestore.Encoder(),
        completion: (((any Error)?) -> Void)? = nil
    ) throws {
        let data = try encoder.encode(value)
        try self.sendChecked(completion) { reader throws(UsageError) in try reader.set(data, merge: merge) }
    }

    /// Changes only the given fields. It does not wait for the server, also behind `await`.
    public func setData<T: Encodable>(
        from value: T,
        mergeFields: [Any],
        encoder: Firestore.Encoder = Firestore.Encoder(),
        completion: (((any Error)?) -> Void)? = nil
    ) throws {
        let data = try encoder.encode(value)
        try self.sendChecked(completion) { reader throws(UsageError) in try reader.merge(data, fields: mergeFields) }
    }
}

extension CollectionReference {
    /// Creates a document with a new ID, and gives its reference at once. It does not wait for the server, also behind
    /// `await`.
    @discardableResult
    public func addDocument<T: Encodable>(
        from value: T,
        encoder: Firestore.Encoder = Firestore.Encoder(),
        completion: (((any Error)?) -> Void)? = nil
    ) throws -> DocumentReference {
        let reference = self.document()
        try reference.setData(from: value, encoder: encoder, completion: completion)
        return reference
    }
}
