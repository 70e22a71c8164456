internal import Foundation

/// Receives what one `Encodable` value writes.
final class FieldEncoder: Encoder {
    let options: Options
    let codingPath: [any CodingKey]
    /// What was written; nil until then.
    var part: EncodedPart?

    var userInfo: [CodingUserInfoKey: Any] { self.options.userInfo }

    struct Options {
        let dates: FirebaseDataEncoder.DateEncodingStrategy
        let data: FirebaseDataEncoder.DataEncodingStrategy
        let floats: FirebaseDataEncoder.NonConformingFloatEncodingStrategy
        let keys: FirebaseDataEncoder.KeyEncodingStrategy
        let userInfo: [CodingUserInfoKey: Any]

        init(_ encoder: Firestore.Encoder) {
            self.dates = encoder.dateEncodingStrategy
            self.data = encoder.dataEncodingStrategy
            self.floats = encoder.nonConformingFloatEncodingStrategy
            self.keys = encoder.keyEncodingStrategy
            self.userInfo = encoder.userInfo
        }
    }

    init(options: Options, codingPath: [any CodingKey]) {
        self.options = options
        self.codingPath = codingPath
    }

    func container<Key>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        let box: EncodedMap
        if case .map(let known)? = self.part { box = known } else { box = EncodedMap() }
        self.part = .map(box)
        return KeyedEncodingContainer(
            KeyedFieldContainer<Key>(encoder: self, box: box, codingPath: self.codingPath)
        )
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        let box: EncodedArray
        if case .array(let known)? = self.part { box = known } else { box = EncodedArray() }
        self.part = .array(box)
        return UnkeyedFieldContainer(encoder: self, box: box, codingPath: self.codingPath)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer {
        SingleFieldContainer(encoder: self)
    }

    /// What a value writes, by the rules for types that the database knows; nil when it writes nothing.
    func part(_ value: some Encodable, codingPath: [any CodingKey]) throws -> EncodedPart? {
        switch value {
        case is String, is Int, is Bool: return .value(value)
        case is GeoPoint, is Timestamp, is FieldValue, is DocumentReference, is VectorValue, is Decimal:
            return .value(value)
        case let date as Date: return try self.part(date, codingPath)
        case let data as Data: return try self.part(data, codingPath)
        case let url as URL: return .value(url.absoluteString)
        case let dictionary as any StringKeyed: return try self.part(dictionary, codingPath)
        case let double as Double: return try self.part(float: double, codingPath)
        case let float as Float: return try self.part(float: float, codingPath)
        default:
            let encoder = FieldEncoder(options: self.options, codingPath: codingPath)
            try value.encode(to: encoder)
            return encoder.part
        }
    }

    /// Numbers that are no floating-point numbers, booleans and texts stay as they are.
    func part<Number: BinaryFloatingPoint & Encodable>(
        float number: Number,
        _ codingPath: [any CodingKey]
    ) throws -> EncodedPart {
        if number.isFinite { return .value(number) }
        guard case .convertToString(let positive, let negative, let nan) = self.options.floats else {
            throw EncodingError.invalidValue(
                number,
                EncodingError.Context(
                    codingPath: codingPath,
                    debugDescription: "\(number) is written only with a strategy for such numbers."
                )
            )
        }
        return .value(number.isNaN ? nan : number > 0 ? positive : negative)
    }

    private func part(_ date: Date, _ codingPath: [any CodingKey]) throws -> EncodedPart? {
        let encoder = FieldEncoder(options: self.options, codingPath: codingPath)
        switch self.options.dates {
        case .deferredToDate: try date.encode(to: encoder)
        case .secondsSince1970: return .value(date.timeIntervalSince1970)
        case .millisecondsSince1970: return .value(1000 * date.timeIntervalSince1970)
        case .iso8601: return .value(ISO8601DateFormatter().string(from: date))
        case .formatted(let formatter): return .value(formatter.string(from: date))
        case .custom(let write): try write(date, encoder)
        }
        return encoder.part ?? .map(EncodedMap())
    }

    private func part(_ data: Data, _ codingPath: [any CodingKey]) throws -> EncodedPart? {
        let encoder = FieldEncoder(options: self.options, codingPath: codingPath)
        switch self.options.data {
        case .deferredToData: try data.encode(to: encoder)
        case .base64: return .value(data.base64EncodedString())
        case .blob: return .value(data)
        case .custom(let write): try write(data, encoder)
        }
        return encoder.part ?? .map(EncodedMap())
    }

    /// A dictionary's keys are data, which no key strategy changes.
    private func part(_ dictionary: any StringKeyed, _ codingPath: [any CodingKey]) throws -> EncodedPart {
        let box = EncodedMap()
        for (key, element) in dictionary.elements {
            let path = codingPath + [AnyCodingKey(stringValue: key)]
            box.parts[key] = try self.part(element, codingPath: path) ?? .map(EncodedMap())
        }
        return .map(box)
    }
}

/// A dictionary by strings of values that can be written.
private protocol StringKeyed {
    var elements: [(key: String, value: any Encodable)] { get }
}

extension Dictionary: StringKeyed where Key == String, Value: Encodable {
    var elements: [(key: String, value: any Encodable)] {
        self.map { ($0.key, $0.value) }
    }
}
