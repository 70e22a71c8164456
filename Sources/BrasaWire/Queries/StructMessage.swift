internal import BrasaDocuments
internal import BrasaMessages
internal import CBrasaFirestoreV1

extension StructMessage {
    /// Structs and lists in each other; those that explain queries stay far below.
    static let depthMax = 20

    /// `depth` counts this struct; each level is unpacked on its own, so nothing recurses further than it allows.
    init(
        decoding bytes: UnsafeRawBufferPointer,
        depth: Int = 1,
        with decoder: borrowing EnvelopeDecoder
    ) throws(WireError) {
        guard depth <= Self.depthMax else { throw .malformed }
        let envelope = try decoder.unpack(bytes, as: StructEnvelope.self)
        self.init()
        for case let entry? in repeated(envelope.n_fields, envelope.fields) {
            let key = try WireError.wrapping { () throws(DocumentError) in try entry.pointee.key.text("fields.key") }
            self.fields.append(Field(key, try FieldValue(entry.pointee.value.bytes, depth: depth, with: decoder)))
        }
    }
}

extension StructMessage.FieldValue {
    fileprivate init(
        _ bytes: UnsafeRawBufferPointer,
        depth: Int,
        with decoder: borrowing EnvelopeDecoder
    ) throws(WireError) {
        guard depth <= StructMessage.depthMax else { throw .malformed }
        let envelope = try decoder.unpack(bytes, as: StructValueEnvelope.self)
        switch envelope.kind_case {
        case BRASA__WIRE__STRUCT_VALUE__KIND_NUMBER_VALUE:
            self = .number(envelope.number_value)
        case BRASA__WIRE__STRUCT_VALUE__KIND_STRING_VALUE:
            self = .text(
                try WireError.wrapping { () throws(DocumentError) in try envelope.string_value.text("string_value") }
            )
        case BRASA__WIRE__STRUCT_VALUE__KIND_BOOL_VALUE:
            self = .bool(envelope.bool_value != 0)
        case BRASA__WIRE__STRUCT_VALUE__KIND_STRUCT_VALUE:
            self = .fields(try StructMessage(decoding: envelope.struct_value.bytes, depth: depth + 1, with: decoder))
        case BRASA__WIRE__STRUCT_VALUE__KIND_LIST_VALUE:
            let list = try decoder.unpack(envelope.list_value.bytes, as: ListValueEnvelope.self)
            var values: [Self] = []
            for value in repeated(list.n_values, list.values) {
                values.append(try Self(value.bytes, depth: depth + 1, with: decoder))
            }
            self = .list(values)
        default:
            self = .null
        }
    }
}

extension StructMessage: WireMessage {
    func encode(to sink: inout WireSink) {
        for field in self.fields { sink.keep(1, field) }
    }
}

extension StructMessage.Field: WireMessage {
    func encode(to sink: inout WireSink) {
        sink.keep(1, bytes: self.key.bytes)
        sink.keep(2, self.value)
    }
}

/// Which kind is set means something, whatever its value.
extension StructMessage.FieldValue: WireMessage {
    func encode(to sink: inout WireSink) {
        switch self {
        case .null: sink.keep(1, varint: 0)
        case .number(let number):
            sink.tag(2, WireReader.Tag.fixed64)
            sink.fixed64(number.bitPattern)
        case .text(let text): sink.keep(3, bytes: text.bytes)
        case .bool(let value): sink.keep(4, varint: value ? 1 : 0)
        case .fields(let fields): sink.keep(5, fields)
        case .list(let values): sink.keep(6, ListMessage(values: values))
        }
    }

    private struct ListMessage: WireMessage {
        let values: [StructMessage.FieldValue]

        func encode(to sink: inout WireSink) {
            for value in self.values { sink.keep(1, value) }
        }
    }
}
