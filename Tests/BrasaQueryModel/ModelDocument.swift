package import BrasaDocuments

/// A document as the model sees it: decoded, and looked through without any index.
package struct ModelDocument: Hashable, Sendable, CustomStringConvertible {
    package var path: ResourcePath
    /// Sorted by name.
    package var entries: [Value.MapEntry]

    package init(path: ResourcePath, entries: [Value.MapEntry]) {
        self.path = path
        self.entries = entries
    }

    package var fields: EncodedFields { EncodedFields(encoding: self.entries) }

    /// The value at a field path; under `__name__` the document's own name. Nil when there is none.
    package func value(at path: FieldPath, in database: DatabaseName) -> Value? {
        if path.isDocumentName { return DocumentName(database: database, path: self.path).map { .reference($0) } }
        var value = Value.map(self.entries)
        for name in path.segments {
            guard case .map(let entries) = value, value.vectorComponents == nil,
                let entry = entries.first(where: { $0.key == name })
            else { return nil }
            value = entry.value
        }
        return value
    }

    package static func == (left: ModelDocument, right: ModelDocument) -> Bool {
        left.path == right.path && left.fields == right.fields
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(self.path)
    }

    package var description: String {
        "\(self.path): {\(self.entries.map { "\($0.key): \($0.value.text)" }.joined(separator: ", "))}"
    }
}

extension Value {
    /// For people who read about a failed case.
    package var text: String {
        switch self {
        case .null: return "null"
        case .boolean(let boolean): return "\(boolean)"
        case .integer(let integer): return "\(integer)"
        case .double(let double): return "\(double)"
        case .timestamp(let timestamp): return "time(\(timestamp.microseconds))"
        case .string(let text): return "\"\(text)\""
        case .bytes(let bytes): return "bytes(\(bytes))"
        case .reference(let name): return "<\(name.path)>"
        case .geoPoint(let latitude, let longitude): return "geo(\(latitude), \(longitude))"
        case .array(let elements): return "[\(elements.map(\.text).joined(separator: ", "))]"
        case .map(let entries):
            if let components = self.vectorComponents { return "vector\(components)" }
            return "{\(entries.map { "\($0.key): \($0.value.text)" }.joined(separator: ", "))}"
        }
    }
}
