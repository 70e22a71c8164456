/// A value one level deep: scalars as they are, and whatever has a length as a part of the bytes in which it stands.
package enum EncodedPart: Sendable {
    case null
    case boolean(Bool)
    case integer(Int64)
    case double(Double)
    case timestamp(Timestamp)
    case string(BytePart)
    case bytes(BytePart)
    /// The name of a document of any database.
    case reference(BytePart)
    case geoPoint(latitude: Double, longitude: Double)
    case array(EncodedElements)
    case map(EncodedEntries)
    /// Its components.
    case vector(EncodedElements)

    /// Null when the bytes, a Value message out of an `EncodedFields`, are not canonical.
    package init(canonical bytes: BytePart) {
        self = bytes.withUnsafeBytes { memory -> EncodedPart in
            var ignored = true
            var reader = WireReader(memory)
            guard let member = try? reader.valueMember(isCanonical: &ignored) else { return .null }
            switch member.field {
            case ValueField.boolean: return .boolean(member.bits != 0)
            case ValueField.integer: return .integer(Int64(bitPattern: member.bits))
            case ValueField.double: return .double(Double(bitPattern: member.bits))
            case ValueField.string: return .string(bytes.part(member.payload))
            case ValueField.bytes: return .bytes(bytes.part(member.payload))
            case ValueField.reference: return .reference(bytes.part(member.payload))
            case ValueField.array: return .array(EncodedElements(payload: bytes.part(member.payload)))
            case ValueField.timestamp:
                var reader = reader.sub(member.payload)
                return (try? reader.timestamp(isCanonical: &ignored)).map { .timestamp($0) } ?? .null
            case ValueField.geoPoint:
                var reader = reader.sub(member.payload)
                return (try? reader.geoPoint(isCanonical: &ignored)).map { .geoPoint(latitude: $0, longitude: $1) }
                    ?? .null
            case ValueField.map:
                if let components = EncodedValue.vectorElements(memory) {
                    return .vector(EncodedElements(payload: bytes.part(components)))
                }
                return .map(EncodedEntries(payload: bytes.part(member.payload)))
            default: return .null
            }
        }
    }
}
