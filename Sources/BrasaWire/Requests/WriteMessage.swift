internal import BrasaDocuments

/// A write as a client sends it. What encoding must build, paths and operands, is built once.
struct WriteMessage: WireMessage {
    private let write: Write
    private let mask: MaskMessage?
    private let transforms: [TransformMessage]

    init(_ write: Write) {
        self.write = write
        if case .merge(_, let mask) = write.operation { self.mask = MaskMessage(mask) } else { self.mask = nil }
        self.transforms = write.transforms.map(TransformMessage.init)
    }

    func encode(to sink: inout WireSink) {
        switch self.write.operation {
        case .set(let fields), .merge(let fields, mask: _):
            sink.keep(1, UpdatedDocument(name: self.write.name, fields: fields))
        case .delete: sink.keep(2, self.write.name)
        case .verify: break
        }
        sink.write(3, self.mask)
        sink.write(4, self.write.precondition)
        if case .verify = self.write.operation { sink.keep(5, self.write.name) }
        for transform in self.transforms { sink.keep(7, transform) }
    }
}

/// A document without times.
struct UpdatedDocument: WireMessage {
    let name: DocumentName?
    let fields: EncodedFields

    var byteCountLeast: Int { self.fields.bytes.count }

    func encode(to sink: inout WireSink) {
        if let name { sink.keep(1, name) }
        sink.raw(self.fields.bytes)
    }
}

private struct TransformMessage: WireMessage {
    private let path: [UInt8]
    private let operation: Operation

    private enum Operation {
        case requestTime
        case operand(UInt64, EncodedMessage)
        case elements(UInt64, ElementsMessage)
    }

    init(_ transform: FieldTransform) {
        self.path = Array(transform.path.canonical.utf8)
        self.operation =
            switch transform.operation {
            case .requestTime: .requestTime
            case .increment(let value): .operand(3, EncodedMessage(bytes: value.encoded()))
            case .maximum(let value): .operand(4, EncodedMessage(bytes: value.encoded()))
            case .minimum(let value): .operand(5, EncodedMessage(bytes: value.encoded()))
            case .appendMissingElements(let values): .elements(6, ElementsMessage(values))
            case .removeAllFromArray(let values): .elements(7, ElementsMessage(values))
            }
    }

    func encode(to sink: inout WireSink) {
        sink.write(1, bytes: self.path)
        switch self.operation {
        case .requestTime: sink.write(2, int32: FieldTransform.requestTimeNumber)
        case .operand(let field, let value): sink.keep(field, value)
        case .elements(let field, let values): sink.keep(field, values)
        }
    }
}

/// An ArrayValue, and a Cursor's values: repeated values in field 1.
struct ElementsMessage: WireMessage {
    let values: [[UInt8]]

    init(_ values: [Value]) {
        self.values = values.map { $0.encoded() }
    }

    func encode(to sink: inout WireSink) {
        for value in self.values { sink.keep(1, bytes: value) }
    }
}
