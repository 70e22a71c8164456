extension Firestore {
    /// Makes documents of `Encodable` values.
    public final class Encoder {
        public var dateEncodingStrategy: FirebaseDataEncoder.DateEncodingStrategy = .timestamp
        public var dataEncodingStrategy: FirebaseDataEncoder.DataEncodingStrategy = .blob
        public var nonConformingFloatEncodingStrategy: FirebaseDataEncoder.NonConformingFloatEncodingStrategy = .throw
        public var keyEncodingStrategy: FirebaseDataEncoder.KeyEncodingStrategy = .useDefaultKeys
        public var userInfo: [CodingUserInfoKey: Any] = [:]

        public init() {}

        /// The fields of a document. Throws when the value is not one with fields of its own.
        public func encode<T: Encodable>(_ value: T) throws -> [String: Any] {
            let encoder = FieldEncoder(options: FieldEncoder.Options(self), codingPath: [])
            let part = try encoder.part(value, codingPath: [])
            guard case .map(let box)? = part else {
                throw EncodingError.invalidValue(
                    value,
                    EncodingError.Context(
                        codingPath: [],
                        debugDescription: "A document is made of a value with fields, not of \(T.self)."
                    )
                )
            }
            return box.fields
        }
    }
}
