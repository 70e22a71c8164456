internal import BrasaDocuments
internal import BrasaQueries
internal import CBrasaFirestoreV1

extension StructuredQuery {
    init(
        _ envelope: StructuredQueryEnvelope,
        in database: DatabaseName,
        with decoder: borrowing EnvelopeDecoder
    ) throws(WireError) {
        self.init()
        try self.decodeParts(envelope)
        if let filter = envelope.where {
            self.filter = try StructuredQuery.Filter(filter.pointee, depth: 1, with: decoder)
        }
        try WireError.wrapping { () throws(DocumentError) in try self.checkNames(in: database) }
    }

    private mutating func decodeParts(_ envelope: StructuredQueryEnvelope) throws(WireError) {
        self.offset = envelope.offset
        self.limit = envelope.limit?.pointee.value
        do throws(DocumentError) {
            if let projection = envelope.select?.pointee {
                var fields: [FieldPath] = []
                for case let field? in repeated(projection.n_fields, projection.fields) {
                    fields.append(try FieldPath(parsing: field.pointee.field_path.bytes))
                }
                self.select = fields
            }
            for case let selector? in repeated(envelope.n_from, envelope.from) {
                let collectionID = try selector.pointee.collection_id.text("collection_id")
                let allDescendants = selector.pointee.all_descendants != 0
                self.from.append(CollectionSelector(collectionID: collectionID, allDescendants: allDescendants))
            }
            for case let order? in repeated(envelope.n_order_by, envelope.order_by) {
                self.orderBy.append(try StructuredQuery.Order(order.pointee))
            }
            self.startAt = try StructuredQuery.Cursor(envelope.start_at)
            self.endAt = try StructuredQuery.Cursor(envelope.end_at)
            self.findNearest = try StructuredQuery.FindNearest(envelope.find_nearest)
        } catch {
            throw .document(error)
        }
    }

    /// Names that stand for positions among the query's documents must be in the request's database. Other reference
    /// values may name documents anywhere.
    private func checkNames(in database: DatabaseName) throws(DocumentError) {
        try self.filter?.checkNames(in: database)
        for case let cursor? in [self.startAt, self.endAt] {
            for (index, value) in cursor.values.enumerated() {
                // Behind the explicit orders comes the name.
                guard index >= self.orderBy.count || self.orderBy[index].field.isDocumentName else { continue }
                try value.checkName(in: database)
            }
        }
    }
}

extension StructuredQuery.Filter {
    /// `depth` counts this filter; each level is unpacked on its own, so nothing recurses further than it allows.
    fileprivate init(
        _ envelope: FilterEnvelope,
        depth: Int,
        with decoder: borrowing EnvelopeDecoder
    ) throws(WireError) {
        guard depth <= StructuredQuery.filterDepthMax else { throw .filterTooDeep }
        switch envelope.filter_type_case {
        case BRASA__WIRE__FILTER__FILTER_TYPE_COMPOSITE_FILTER:
            guard let composite = envelope.composite_filter?.pointee else {
                self = .unset
                return
            }
            var filters: [StructuredQuery.Filter] = []
            filters.reserveCapacity(composite.n_filters)
            for filter in repeated(composite.n_filters, composite.filters) {
                let envelope = try decoder.unpack(filter.bytes, as: FilterEnvelope.self)
                filters.append(try StructuredQuery.Filter(envelope, depth: depth + 1, with: decoder))
            }
            self = .composite(CompositeOperator(rawValue: composite.op) ?? .unspecified, filters)
        case BRASA__WIRE__FILTER__FILTER_TYPE_FIELD_FILTER:
            self = try WireError.wrapping { () throws(DocumentError) in
                try StructuredQuery.Filter(field: envelope.field_filter)
            }
        case BRASA__WIRE__FILTER__FILTER_TYPE_UNARY_FILTER:
            self = try WireError.wrapping { () throws(DocumentError) in
                try StructuredQuery.Filter(unary: envelope.unary_filter)
            }
        default:
            self = .unset
        }
    }

    private init(field envelope: UnsafeMutablePointer<FieldFilterEnvelope>?) throws(DocumentError) {
        guard let envelope = envelope?.pointee else {
            self = .unset
            return
        }
        let op = FieldOperator(rawValue: envelope.op) ?? .unspecified
        self = .field(try fieldPath(envelope.field), op, try Self.operand(of: op, envelope))
    }

    /// An empty Value is as illegal as an absent one.
    private static func operand(
        of op: FieldOperator,
        _ envelope: FieldFilterEnvelope
    ) throws(DocumentError) -> Value? {
        guard !envelope.value.isEmpty else { return nil }
        return switch op {
        case .in, .notIn, .arrayContainsAny: try Value(decodingList: envelope.value.bytes)
        default: try Value(decoding: envelope.value.bytes)
        }
    }

    private init(unary envelope: UnsafeMutablePointer<UnaryFilterEnvelope>?) throws(DocumentError) {
        guard let envelope = envelope?.pointee else {
            self = .unset
            return
        }
        let isField = envelope.operand_type_case == BRASA__WIRE__UNARY_FILTER__OPERAND_TYPE_FIELD
        self = .unary(
            isField ? try fieldPath(envelope.field) : nil,
            UnaryOperator(rawValue: envelope.op) ?? .unspecified
        )
    }

    fileprivate func checkNames(in database: DatabaseName) throws(DocumentError) {
        switch self {
        case .unset, .unary: break
        case .composite(_, let filters):
            for filter in filters { try filter.checkNames(in: database) }
        case .field(let path, _, let value):
            guard let path, let value, path.isDocumentName else { return }
            if case .array(let values) = value {
                for value in values { try value.checkName(in: database) }
            } else {
                try value.checkName(in: database)
            }
        }
    }
}

extension Value {
    fileprivate func checkName(in database: DatabaseName) throws(DocumentError) {
        guard case .reference(let name) = self, name.database != database else { return }
        throw DocumentError(.otherDatabase(requested: database.string, accessed: name.database.string))
    }
}

extension StructuredQuery.Order {
    fileprivate init(_ envelope: OrderEnvelope) throws(DocumentError) {
        guard let field = try fieldPath(envelope.field) else { throw DocumentError(.fieldPathEmpty) }
        self.init(field: field, direction: Direction(rawValue: envelope.direction) ?? .unspecified)
    }
}

extension StructuredQuery.Cursor {
    init?(_ envelope: UnsafeMutablePointer<CursorEnvelope>?) throws(DocumentError) {
        guard let envelope = envelope?.pointee else { return nil }
        var values: [Value] = []
        for value in repeated(envelope.n_values, envelope.values) {
            values.append(try Value(decoding: value.bytes))
        }
        self.init(values: values, before: envelope.before != 0)
    }
}

extension StructuredQuery.FindNearest {
    fileprivate init?(_ envelope: UnsafeMutablePointer<FindNearestEnvelope>?) throws(DocumentError) {
        guard let envelope = envelope?.pointee else { return nil }
        self.init(
            vectorField: try fieldPath(envelope.vector_field),
            queryVector: envelope.query_vector.isEmpty ? nil : try Value(decoding: envelope.query_vector.bytes),
            distanceMeasure: DistanceMeasure(rawValue: envelope.distance_measure) ?? .unspecified,
            limit: envelope.limit?.pointee.value,
            distanceResultField: try envelope.distance_result_field.text("distance_result_field"),
            distanceThreshold: envelope.distance_threshold?.pointee.value
        )
    }
}

func fieldPath(_ reference: UnsafeMutablePointer<FieldReferenceEnvelope>?) throws(DocumentError) -> FieldPath? {
    guard let reference else { return nil }
    return try FieldPath(parsing: reference.pointee.field_path.bytes)
}
