/// Makes `Value`s from canonical bytes.
struct ValueDecoder {
    private let memory: WireReader

    init(_ bytes: UnsafeRawBufferPointer) {
        self.memory = WireReader(bytes)
    }

    init(_ memory: WireReader) {
        self.memory = memory
    }

    /// `depth` counts the maps and arrays around the value and stops the recursion on bytes that are not canonical.
    func value(_ range: Range<Int>, depth: Int = 0) throws(DocumentError) -> Value {
        var ignored = true
        var reader = self.memory.sub(range)
        guard depth <= Limits.nestingMax + 1 else { throw DocumentError(.malformedMessage) }
        guard let member = try reader.valueMember(isCanonical: &ignored) else {
            throw DocumentError(.valueTypeUnset)
        }
        let payload = self.memory.slice(member.payload)
        switch member.field {
        case ValueField.boolean: return .boolean(member.bits != 0)
        case ValueField.integer: return .integer(Int64(bitPattern: member.bits))
        case ValueField.null: return .null
        case ValueField.double: return .double(Double(bitPattern: member.bits))
        case ValueField.string: return .string(UTF8Text(validated: Array(payload)))
        case ValueField.bytes: return .bytes(Array(payload))
        case ValueField.reference: return .reference(try DocumentName(reference: payload))
        case ValueField.timestamp:
            var reader = self.memory.sub(member.payload)
            guard let timestamp = try reader.timestamp(isCanonical: &ignored) else {
                throw DocumentError(.timestampOutOfRange)
            }
            return .timestamp(timestamp)
        case ValueField.geoPoint:
            var reader = self.memory.sub(member.payload)
            let (latitude, longitude) = try reader.geoPoint(isCanonical: &ignored)
            return .geoPoint(latitude: latitude, longitude: longitude)
        case ValueField.array: return .array(try self.array(member.payload, depth: depth))
        case ValueField.map: return .map(try self.entries(member.payload, field: ValueField.element, depth: depth + 1))
        default: throw DocumentError(.malformedMessage)
        }
    }

    private func array(_ payload: Range<Int>, depth: Int) throws(DocumentError) -> [Value] {
        var ignored = true
        var elements: [Value] = []
        var reader = self.memory.sub(payload)
        while let element = try reader.nextElement(of: ValueField.element, isCanonical: &ignored) {
            elements.append(try self.value(element, depth: depth + 1))
        }
        return elements
    }

    func entries(_ payload: Range<Int>, field: UInt32, depth: Int) throws(DocumentError) -> [Value.MapEntry] {
        var ignored = true
        var entries: [Value.MapEntry] = []
        var reader = self.memory.sub(payload)
        while let range = try reader.nextElement(of: field, isCanonical: &ignored) {
            var entry = self.memory.sub(range)
            let parts = try entry.entryParts(isCanonical: &ignored)
            entries.append(
                Value.MapEntry(
                    key: UTF8Text(validated: Array(self.memory.slice(parts.key))),
                    value: try self.value(parts.value, depth: depth)
                )
            )
        }
        return entries
    }
}
