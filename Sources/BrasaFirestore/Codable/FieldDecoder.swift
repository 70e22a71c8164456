internal import Foundation

/// Gives one `Decodable` value what it reads.
struct FieldDecoder: Decoder {
    let options: Options
    let codingPath: [any CodingKey]
    let content: DecodingSource.Content

    var userInfo: [CodingUserInfoKey: Any] { self.options.userInfo }
    /// The document that is read, where one is known.
    var reference: DocumentReference? { self.options.reference }

    final class Options {
        let dates: FirebaseDataDecoder.DateDecodingStrategy
        let data: FirebaseDataDecoder.DataDecodingStrategy
        let floats: FirebaseDataDecoder.NonConformingFloatDecodingStrategy
        let keys: FirebaseDataDecoder.KeyDecodingStrategy
        let userInfo: [CodingUserInfoKey: Any]
        let reference: DocumentReference?

        init(_ decoder: Firestore.Decoder, reference: DocumentReference?) {
            self.dates = decoder.dateDecodingStrategy
            self.data = decoder.dataDecodingStrategy
            self.floats = decoder.nonConformingFloatDecodingStrategy
            self.keys = decoder.keyDecodingStrategy
            self.userInfo = decoder.userInfo
            self.reference = reference
        }
    }

    func nested(_ source: DecodingSource, at key: any CodingKey) -> FieldDecoder {
        FieldDecoder(options: self.options, codingPath: self.codingPath + [key], content: source.content)
    }

    func container<Key>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard case .map(let map) = self.content else { throw self.mismatch([String: Any].self) }
        return KeyedDecodingContainer(KeyedFieldReader<Key>(decoder: self, map: self.converted(map, Key.self)))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard case .array(let elements) = self.content else { throw self.mismatch([Any].self) }
        return UnkeyedFieldReader(decoder: self, elements: elements)
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer {
        SingleFieldReader(decoder: self)
    }

    /// With keys as the type that reads them names them. Of two that become the same, the first by name counts.
    private func converted<Key: CodingKey>(
        _ map: [String: DecodingSource],
        _ type: Key.Type
    ) -> [String: DecodingSource] {
        let convert: (String) -> String
        switch self.options.keys {
        case .useDefaultKeys: return map
        case .convertFromSnakeCase: convert = SnakeCase.decoded
        case .custom(let custom):
            convert = { custom(self.codingPath + [AnyCodingKey(stringValue: $0)]).stringValue }
        }
        let pairs = map.sorted { $0.key < $1.key }.map { (convert($0.key), $0.value) }
        return [String: DecodingSource](pairs) { first, _ in first }
    }
}

extension FieldDecoder {
    var isNull: Bool { if case .null = self.content { true } else { false } }

    /// Null is a value that is missing, everything else one of another type.
    func mismatch(_ type: any Any.Type) -> DecodingError {
        let context = DecodingError.Context(
            codingPath: self.codingPath,
            debugDescription: "Expected \(type), found \(self.found)."
        )
        return self.isNull ? .valueNotFound(type, context) : .typeMismatch(type, context)
    }

    func corrupted(_ description: String) -> DecodingError {
        .dataCorrupted(DecodingError.Context(codingPath: self.codingPath, debugDescription: description))
    }

    private var found: String {
        switch self.content {
        case .null: "null"
        case .boolean: "a boolean"
        case .integer, .unsigned, .double: "a number"
        case .string: "a string"
        case .bytes: "bytes"
        case .array: "an array"
        case .map: "a map"
        case .object(let object): "a \(type(of: object))"
        }
    }
}
