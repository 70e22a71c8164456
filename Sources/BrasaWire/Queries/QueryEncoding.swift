internal import BrasaDocuments
internal import BrasaQueries

extension StructuredQuery: WireMessage {
    func encode(to sink: inout WireSink) {
        if let select { sink.keep(1, ProjectionMessage(fields: select.map(FieldReferenceMessage.init))) }
        for selector in self.from { sink.keep(2, selector) }
        sink.write(3, self.filter)
        for order in self.orderBy { sink.keep(4, order) }
        sink.write(5, self.limit.map(Int32Message.init))
        sink.write(6, int32: self.offset)
        sink.write(7, self.startAt)
        sink.write(8, self.endAt)
        sink.write(9, self.findNearest)
    }
}

extension StructuredQuery.CollectionSelector: WireMessage {
    func encode(to sink: inout WireSink) {
        sink.write(2, bytes: self.collectionID.bytes)
        sink.write(3, bool: self.allDescendants)
    }
}

extension StructuredQuery.Filter: WireMessage {
    func encode(to sink: inout WireSink) {
        switch self {
        case .unset: break
        case .composite(let op, let filters): sink.keep(1, CompositeFilterMessage(op: op, filters: filters))
        case .field(let path, let op, let value): sink.keep(2, FieldFilterMessage(path: path, op: op, value: value))
        case .unary(let path, let op): sink.keep(3, UnaryFilterMessage(path: path, op: op))
        }
    }
}

private struct CompositeFilterMessage: WireMessage {
    let op: StructuredQuery.Filter.CompositeOperator
    let filters: [StructuredQuery.Filter]

    func encode(to sink: inout WireSink) {
        sink.write(1, int32: self.op.rawValue)
        for filter in self.filters { sink.keep(2, filter) }
    }
}

private struct FieldFilterMessage: WireMessage {
    let path: FieldPath?
    let op: StructuredQuery.Filter.FieldOperator
    let value: Value?

    func encode(to sink: inout WireSink) {
        sink.write(1, self.path.map(FieldReferenceMessage.init))
        sink.write(2, int32: self.op.rawValue)
        sink.write(3, self.value.map { EncodedMessage(bytes: $0.encoded()) })
    }
}

private struct UnaryFilterMessage: WireMessage {
    let path: FieldPath?
    let op: StructuredQuery.Filter.UnaryOperator

    func encode(to sink: inout WireSink) {
        sink.write(1, int32: self.op.rawValue)
        sink.write(2, self.path.map(FieldReferenceMessage.init))
    }
}

extension StructuredQuery.Order: WireMessage {
    func encode(to sink: inout WireSink) {
        sink.keep(1, FieldReferenceMessage(self.field))
        sink.write(2, int32: self.direction.rawValue)
    }
}

extension StructuredQuery.Cursor: WireMessage {
    func encode(to sink: inout WireSink) {
        for value in self.values { sink.keep(1, bytes: value.encoded()) }
        sink.write(2, bool: self.before)
    }
}

extension StructuredQuery.FindNearest: WireMessage {
    func encode(to sink: inout WireSink) {
        sink.write(1, self.vectorField.map(FieldReferenceMessage.init))
        sink.write(2, self.queryVector.map { EncodedMessage(bytes: $0.encoded()) })
        sink.write(3, int32: self.distanceMeasure.rawValue)
        sink.write(4, self.limit.map(Int32Message.init))
        sink.write(5, bytes: self.distanceResultField.bytes)
        sink.write(6, self.distanceThreshold.map(DoubleMessage.init))
    }
}

struct FieldReferenceMessage: WireMessage {
    private let path: [UInt8]

    init(_ path: FieldPath) {
        self.path = Array(path.canonical.utf8)
    }

    func encode(to sink: inout WireSink) {
        sink.write(2, bytes: self.path)
    }
}

private struct ProjectionMessage: WireMessage {
    let fields: [FieldReferenceMessage]

    func encode(to sink: inout WireSink) {
        for field in self.fields { sink.keep(2, field) }
    }
}

struct Int32Message: WireMessage {
    let value: Int32

    func encode(to sink: inout WireSink) {
        sink.write(1, int32: self.value)
    }
}

private struct DoubleMessage: WireMessage {
    let value: Double

    func encode(to sink: inout WireSink) {
        guard self.value.bitPattern != 0 else { return }
        sink.tag(1, WireReader.Tag.fixed64)
        sink.fixed64(self.value.bitPattern)
    }
}
