package import BrasaDocuments

/// A checked `find_nearest`: of the documents that a query finds, those whose vectors are nearest to a given one.
package struct NearestQuery: Hashable, Sendable {
    package enum Measure: Hashable, Sendable {
        case euclidean, cosine
        /// Greater is nearer.
        case dotProduct
    }

    package let field: FieldPath
    package let vector: [Double]
    package let measure: Measure
    package let limit: Int
    /// The distance of the farthest document that is still a result.
    package let threshold: Double?
    /// The field of the results that holds the distance.
    package let resultField: UTF8Text?

    /// `query` is the query that it belongs to, some clauses of which it does not allow.
    init(_ asked: StructuredQuery.FindNearest, in query: StructuredQuery) throws(QueryError) {
        if query.limit != nil { throw QueryError(.nearestNotSupported(.limit)) }
        if query.offset != 0 { throw QueryError(.nearestNotSupported(.offset)) }
        if query.startAt != nil || query.endAt != nil { throw QueryError(.nearestNotSupported(.cursors)) }
        guard let field = asked.vectorField else { throw QueryError(.document(DocumentError(.fieldPathEmpty))) }
        guard !field.isDocumentName else { throw QueryError(.keyIsReserved) }
        guard let limit = asked.limit, (1...QueryLimits.nearestLimitMax).contains(Int(limit)) else {
            throw QueryError(.nearestLimit)
        }
        self.field = field
        self.limit = Int(limit)
        self.vector = try Self.vector(asked.queryVector)
        self.measure = try Self.measure(asked.distanceMeasure)
        if self.measure == .cosine, self.vector.allSatisfy({ $0 == 0 }) { throw QueryError(.zeroMagnitude) }
        self.threshold = asked.distanceThreshold
        self.resultField = try Self.resultField(asked.distanceResultField)
    }

    private static func vector(_ value: Value?) throws(QueryError) -> [Double] {
        guard let value else { throw QueryError(.nearestWithoutVector) }
        guard let vector = value.vectorComponents else { throw QueryError(.nearestWithoutVector) }
        guard !vector.isEmpty else { throw QueryError(.document(DocumentError(.vectorEmpty))) }
        guard vector.count <= Limits.vectorDimensionsMax else {
            throw QueryError(.document(DocumentError(.vectorTooLong)))
        }
        return vector
    }

    private static func measure(_ measure: StructuredQuery.FindNearest.DistanceMeasure) throws(QueryError) -> Measure {
        switch measure {
        case .unspecified: throw QueryError(.unknownDistanceMeasure)
        case .euclidean: .euclidean
        case .cosine: .cosine
        case .dotProduct: .dotProduct
        }
    }

    private static func resultField(_ name: UTF8Text) throws(QueryError) -> UTF8Text? {
        guard !name.bytes.isEmpty else { return nil }
        guard name.bytes.count <= Limits.idBytesMax else {
            throw QueryError(.document(DocumentError(.fieldNameTooLong)))
        }
        guard !name.isReservedName else {
            throw QueryError(.document(DocumentError(.fieldNameReserved(name.string))))
        }
        return name
    }
}

extension UTF8Text {
    /// `__.*__`, which users may not name fields.
    var isReservedName: Bool {
        self.bytes.count >= 4 && self.bytes.starts(with: [0x5F, 0x5F]) && self.bytes.suffix(2) == [0x5F, 0x5F]
    }
}
