import BrasaDocuments
import BrasaQueries

/// A rules file, the documents that are there, and what is asked one after the other of just these.
struct Scenario: Decodable {
    /// What one call asks for: one of these.
    struct Request: Decodable {
        var uid: String?
        var claims: [String: JSONValue]?
        /// One document, or several at once.
        var get: [String]?
        var listing: Listing?
        var query: JSONQuery?
        var writes: [JSONWrite]?
    }

    /// ListDocuments.
    struct Listing: Decodable {
        var collection: String
        var pageSize: Int32
        var orderBy: [JSONQuery.Order]
    }

    /// Seconds since the epoch.
    var now: Int64
    var rules: String
    var documents: [String: Fields]
    var requests: [Request]
}

struct Fields: Decodable {
    var fields: EncodedFields

    init(from decoder: any Decoder) throws {
        let values = try decoder.singleValueContainer().decode([String: JSONValue].self)
        self.fields = EncodedFields(encoding: values.map { Value.MapEntry(key: UTF8Text($0), value: $1.value) })
    }
}

/// A value in the protocol's JSON.
struct JSONValue: Decodable {
    var value: Value

    private enum Key: String, CodingKey {
        case nullValue, booleanValue, integerValue, doubleValue, timestampValue, stringValue, bytesValue
        case referenceValue, geoPointValue, arrayValue, mapValue
    }

    private struct Place: Decodable {
        var latitude: Double?
        var longitude: Double?
    }

    private struct List: Decodable {
        var values: [JSONValue]?
    }

    private struct Map: Decodable {
        var fields: [String: JSONValue]?
    }

    struct Unknown: Error {}

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        switch container.allKeys.first {
        case .nullValue: self.value = .null
        case .booleanValue: self.value = .boolean(try container.decode(Bool.self, forKey: .booleanValue))
        case .integerValue:
            guard let integer = Int64(try container.decode(String.self, forKey: .integerValue)) else { throw Unknown() }
            self.value = .integer(integer)
        case .doubleValue:
            if let text = try? container.decode(String.self, forKey: .doubleValue) {
                self.value = .double(text == "NaN" ? .nan : text == "Infinity" ? .infinity : -.infinity)
            } else {
                self.value = .double(try container.decode(Double.self, forKey: .doubleValue))
            }
        // Whole seconds since the epoch: the only times in cases.
        case .timestampValue:
            let seconds = try container.decode(Int64.self, forKey: .timestampValue)
            self.value = .timestamp(Timestamp(microseconds: seconds * 1_000_000))
        case .stringValue: self.value = .string(UTF8Text(try container.decode(String.self, forKey: .stringValue)))
        case .bytesValue: self.value = .bytes(Array(try container.decode(String.self, forKey: .bytesValue).utf8))
        case .referenceValue:
            let path = try ResourcePath(parsing: try container.decode(String.self, forKey: .referenceValue).utf8)
            guard let name = DocumentName(database: try .tested(), path: path) else { throw Unknown() }
            self.value = .reference(name)
        case .geoPointValue:
            let place = try container.decode(Place.self, forKey: .geoPointValue)
            self.value = .geoPoint(latitude: place.latitude ?? 0, longitude: place.longitude ?? 0)
        case .arrayValue:
            let list = try container.decode(List.self, forKey: .arrayValue)
            self.value = .array((list.values ?? []).map(\.value))
        case .mapValue:
            let map = try container.decode(Map.self, forKey: .mapValue)
            self.value = .map(
                sorting: (map.fields ?? [:]).map { Value.MapEntry(key: UTF8Text($0), value: $1.value) }
            )
        case nil: throw Unknown()
        }
    }
}

struct JSONQuery: Decodable {
    indirect enum Filter: Decodable {
        case composite(isOr: Bool, [Filter])
        case field(String, String, JSONValue?)

        private enum Key: CodingKey {
            case or, and, field, op, value
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Key.self)
            if let filters = try container.decodeIfPresent([Filter].self, forKey: .or) {
                self = .composite(isOr: true, filters)
            } else if let filters = try container.decodeIfPresent([Filter].self, forKey: .and) {
                self = .composite(isOr: false, filters)
            } else {
                self = .field(
                    try container.decode(String.self, forKey: .field),
                    try container.decode(String.self, forKey: .op),
                    try container.decodeIfPresent(JSONValue.self, forKey: .value)
                )
            }
        }

        private static let operators: [String: StructuredQuery.Filter.FieldOperator] = [
            "EQUAL": .equal, "NOT_EQUAL": .notEqual, "LESS_THAN": .lessThan, "LESS_THAN_OR_EQUAL": .lessThanOrEqual,
            "GREATER_THAN": .greaterThan, "GREATER_THAN_OR_EQUAL": .greaterThanOrEqual, "IN": .in, "NOT_IN": .notIn,
            "ARRAY_CONTAINS": .arrayContains, "ARRAY_CONTAINS_ANY": .arrayContainsAny,
        ]
        private static let unary: [String: StructuredQuery.Filter.UnaryOperator] = [
            "IS_NULL": .isNull, "IS_NOT_NULL": .isNotNull, "IS_NAN": .isNaN, "IS_NOT_NAN": .isNotNaN,
        ]

        func structured() throws -> StructuredQuery.Filter {
            switch self {
            case .composite(let isOr, let filters):
                return .composite(isOr ? .or : .and, try filters.map { try $0.structured() })
            case .field(let field, let op, let value):
                let path = try FieldPath(parsing: field.utf8)
                if let known = Self.unary[op] { return .unary(path, known) }
                return .field(path, Self.operators[op] ?? .unspecified, value?.value)
            }
        }
    }

    struct Order: Decodable {
        var field: String
        var descends: Bool
    }

    var parent: String
    var collection: String
    var descendants: Bool
    var filter: Filter?
    var orderBy: [Order]?
    var limit: Int32?
    var offset: Int32?

    func structured() throws -> StructuredQuery {
        StructuredQuery(
            from: [.init(collectionID: UTF8Text(self.collection), allDescendants: self.descendants)],
            filter: try self.filter?.structured(),
            orderBy: try (self.orderBy ?? []).map {
                .init(field: try FieldPath(parsing: $0.field.utf8), direction: $0.descends ? .descending : .ascending)
            },
            offset: self.offset ?? 0,
            limit: self.limit
        )
    }
}
