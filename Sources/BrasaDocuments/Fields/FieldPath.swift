import BrasaBytes

/// A path to a field: the field names from the document inwards. Two paths are equal when their names are, however they
/// were quoted.
package struct FieldPath: Hashable, Sendable {
    package let segments: [UTF8Text]

    /// The pseudo-field for the document's name.
    package static let documentName = FieldPath(segments: ["__name__"])

    init(segments: [UTF8Text]) {
        self.segments = segments
    }

    /// A path of names that need no quoting rules; throws when one of them is no field name.
    package init(names: [UTF8Text]) throws(DocumentError) {
        guard !names.isEmpty else { throw DocumentError(.fieldPathEmpty) }
        var length = names.count - 1
        for name in names {
            guard !name.bytes.isEmpty else { throw DocumentError(.fieldNameEmpty) }
            length += name.bytes.count
        }
        guard length <= Limits.idBytesMax else { throw DocumentError(.fieldPathTooLong) }
        self.segments = names
        if !self.isDocumentName, names.contains(where: { $0.bytes.withUnsafeBytes(ResourceID.isReserved) }) {
            throw DocumentError(.fieldPathReserved(self.canonical))
        }
    }

    package init(parsing path: some Collection<UInt8>) throws(DocumentError) {
        guard !path.isEmpty else { throw DocumentError(.fieldPathEmpty) }
        let bytes = Array(path)
        guard bytes.withUnsafeBytes(UTF8Validation.isValid) else { throw DocumentError(.invalidUTF8("field path")) }
        guard let names = FieldPathGrammar.names(in: bytes) else {
            throw DocumentError(.fieldPathInvalid(String(decoding: bytes, as: UTF8.self)))
        }
        try self.init(names: names)
    }

    package var isDocumentName: Bool { self == .documentName }

    /// Simple names bare, others in backquotes, joined by dots: equal for equal paths, for showing and sorting.
    package var canonical: String {
        self.segments.map(FieldPathGrammar.quotedIfNeeded).joined(separator: ".")
    }

    /// Whether `other` is this path or lies below it.
    package func contains(_ other: FieldPath) -> Bool {
        self.segments.count <= other.segments.count && other.segments.starts(with: self.segments)
    }
}

extension FieldPath: Comparable, CustomStringConvertible {
    package var description: String { self.canonical }

    /// Name by name, a path before those below it; so overlapping paths are neighbours when sorted.
    package static func < (left: FieldPath, right: FieldPath) -> Bool {
        left.segments.lexicographicallyPrecedes(right.segments)
    }
}
