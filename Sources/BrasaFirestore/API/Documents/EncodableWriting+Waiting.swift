// The same under a label of their own: with `from:` the compiler would prefer them in every asynchronous function, and the
// documented calls, which are made there without `await`, would no longer compile.

extension DocumentReference {
    /// Creates or replaces the document, or with `merge` changes only the fields that the value has, and waits for the
    /// server. Throws what encoding throws, before anything is queued.
    nonisolated(nonsending) public func setData<T: Encodable>(
        encoding value: T,
        merge: Bool = false,
        encoder: Firestore.Encoder = Firestore.Encoder()
    ) async throws {
        try await self.setData(try encoder.encode(value), merge: merge)
    }

    /// Changes only the given fields, and waits for the server.
    nonisolated(nonsending) public func setData<T: Encodable>(
        encoding value: T,
        mergeFields: [Any],
        encoder: Firestore.Encoder = Firestore.Encoder()
    ) async throws {
        try await self.setData(try encoder.encode(value), mergeFields: mergeFields)
    }
}

extension CollectionReference {
    /// Creates a document with a new ID, and gives its reference when the server has acknowledged it.
    @discardableResult
    nonisolated(nonsending) public func addDocument<T: Encodable>(
        encoding value: T,
        encoder: Firestore.Encoder = Firestore.Encoder()
    ) async throws -> DocumentReference {
        let reference = self.document()
        try await reference.setData(encoding: value, encoder: encoder)
        return reference
    }
}
