internal import BrasaDocuments

extension Firestore {
    /// Makes `Decodable` values of documents.
    public final class Decoder {
        public var dateDecodingStrategy: FirebaseDataDecoder.DateDecodingStrategy = .timestamp
        public var dataDecodingStrategy: FirebaseDataDecoder.DataDecodingStrategy = .blob
        public var nonConformingFloatDecodingStrategy: FirebaseDataDecoder.NonConformingFloatDecodingStrategy = .throw
        public var keyDecodingStrategy: FirebaseDataDecoder.KeyDecodingStrategy = .useDefaultKeys
        public var userInfo: [CodingUserInfoKey: Any] = [:]

        public init() {}

        /// Reads a value out of what `data()` gives.
        public func decode<T: Decodable>(_ t: T.Type, from data: Any) throws -> T {
            try self.decode(t, from: data, in: nil)
        }

        /// Reads a value out of what `data()` of a document gives. Properties with ``DocumentID`` get the document's.
        public func decode<T: Decodable>(_ t: T.Type, from data: Any, in reference: DocumentReference?) throws -> T {
            try self.decode(t, from: .given(data), in: reference)
        }

        func decode<T: Decodable>(_ t: T.Type, from source: DecodingSource, in reference: DocumentReference?) throws
            -> T
        {
            let decoder = FieldDecoder(
                options: FieldDecoder.Options(self, reference: reference),
                codingPath: [],
                content: source.content
            )
            return try decoder.value(t)
        }
    }
}

extension DocumentSnapshot {
    /// The document as a value of a `Decodable` type. A document that does not exist is null: `DecodingError` says so
    /// unless the type is an optional.
    public func data<T: Decodable>(
        as type: T.Type,
        with serverTimestampBehavior: ServerTimestampBehavior = .none,
        decoder: Firestore.Decoder = .init()
    ) throws -> T {
        let writer = ValueWriter(firestore: self.reference.firestore, behavior: serverTimestampBehavior)
        let value = self.fields.map { Value.map($0.decoded) } ?? .null
        return try decoder.decode(type, from: .stored(value, writer), in: self.reference)
    }
}
