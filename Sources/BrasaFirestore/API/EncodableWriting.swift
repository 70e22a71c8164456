extension DocumentReference {
    /// Creates or replaces the document, or with `merge` changes only the fields that the value has. Throws what encoding throws; what the server says comes to the handler.
    public func setData<T: Encodable>(
        from value: T,
        merge: Bool = false,
        encoder: Firestore.Encoder = Firestore.Encoder(),
        completion: (((any Error)?) -> Void)? = nil
    ) throws {
        self.setData(try encoder.encode(value), merge: merge, completion: completion)
    }

    public func setData<T: Encodable>(
        from value: T,
        mergeFields: [Any],
        encoder: Firestore.Encoder = Firestore.Encoder(),
        completion: (((any Error)?) -> Void)? = nil
    ) throws {
        self.setData(try encoder.encode(value), mergeFields: mergeFields, completion: completion)
    }
}

extension CollectionReference {
    /// Creates a document with a new ID, and gives its reference at once.
    @discardableResult
    public func addDocument<T: Encodable>(
        from value: T,
        encoder: Firestore.Encoder = Firestore.Encoder(),
        completion: (((any Error)?) -> Void)? = nil
    ) throws -> DocumentReference {
        self.addDocument(data: try encoder.encode(value), completion: completion)
    }
}
