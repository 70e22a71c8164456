internal import BrasaDocuments

extension JSONValue {
    /// A Value message.
    var value: Value? {
        guard let (kind, payload) = self.object?.first, self.object?.count == 1 else { return nil }
        switch kind {
        case "nullValue": return .null
        case "booleanValue": return payload.boolean.map { .boolean($0) }
        case "integerValue": return payload.integer.map { .integer($0) }
        case "doubleValue": return payload.double.map { .double($0) }
        case "timestampValue": return payload.timestamp.map { .timestamp($0) }
        case "stringValue": return payload.string.map { .string(UTF8Text($0)) }
        case "bytesValue": return payload.bytes.map { .bytes($0) }
        case "referenceValue": return payload.documentName.map { .reference($0) }
        case "geoPointValue":
            let (latitude, longitude) = (payload["latitude"]?.double ?? 0, payload["longitude"]?.double ?? 0)
            return .geoPoint(latitude: latitude, longitude: longitude)
        case "arrayValue":
            guard let elements = payload["values"] else { return .array([]) }
            return elements.array.flatMap { Self.all($0, \.value) }.map { .array($0) }
        case "mapValue":
            guard let members = payload["fields"] else { return .map([]) }
            return members.entries.map { .map(sorting: $0) }
        default: return nil
        }
    }

    /// The fields of a Document message, by the rules of the protocol.
    var fields: EncodedFields? {
        guard let entries = self.entries else { return nil }
        return try? EncodedFields(encoding: entries).validated()
    }

    var documentName: DocumentName? {
        self.string.flatMap { try? DocumentName(parsing: Array($0.utf8)) }
    }

    private var entries: [Value.MapEntry]? {
        guard let members = self.object else { return nil }
        return Self.all(Array(members)) { member in
            member.value.value.map { Value.MapEntry(key: member.key, value: $0) }
        }
    }

    /// Nil when one of them is.
    static func all<Element, Made>(_ elements: [Element], _ make: (Element) -> Made?) -> [Made]? {
        var made: [Made] = []
        made.reserveCapacity(elements.count)
        for element in elements {
            guard let one = make(element) else { return nil }
            made.append(one)
        }
        return made
    }
}
