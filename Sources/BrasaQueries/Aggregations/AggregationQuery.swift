package import BrasaDocuments

/// A checked aggregation under the name of its result.
package struct Aggregation: Hashable, Sendable {
    package enum Operation: Hashable, Sendable {
        /// Nil: however many.
        case count(upTo: Int?)
        case sum(FieldPath)
        case average(FieldPath)
    }

    package let alias: UTF8Text
    package let operation: Operation
}

/// A checked aggregation query.
package struct AggregationQuery: Hashable, Sendable {
    package private(set) var query: Query
    package let aggregations: [Aggregation]
    /// Fields that a document must have, all of them, to be in any of the aggregations.
    package let neededFields: [FieldPath]
    /// Whether nothing of the documents matters but how many there are.
    package let countsOnly: Bool
    /// When nothing but counts is asked for, and each is bounded: how many documents need to be counted.
    package let countMax: Int?

    package init(_ structured: StructuredAggregationQuery, parent: ParentName) throws(QueryError) {
        let asked = structured.aggregations
        guard !asked.isEmpty else { throw QueryError(.noAggregations) }
        guard asked.count <= QueryLimits.aggregationsMax else { throw QueryError(.tooManyAggregations(asked.count)) }
        var unnamed = 0
        var aggregations: [Aggregation] = []
        for aggregation in asked {
            let operation = try Self.operation(aggregation.operation)
            if aggregation.alias.bytes.isEmpty { unnamed += 1 }
            let alias = try Self.alias(aggregation.alias, unnamed: unnamed)
            guard !aggregations.contains(where: { $0.alias == alias }) else {
                throw QueryError(.duplicateAlias(alias))
            }
            aggregations.append(Aggregation(alias: alias, operation: operation))
        }
        self.aggregations = aggregations
        self.neededFields = Self.neededFields(of: aggregations)
        let operations = aggregations.map(\.operation)
        self.countsOnly = operations.allSatisfy { if case .count = $0 { true } else { false } }
        self.countMax = Self.countMax(of: operations)
        let query = structured.query ?? StructuredQuery()
        // The nearest may be summed by their distance, which is no stored field, and are bounded by themselves.
        let summed = query.findNearest == nil ? self.neededFields : []
        self.query = try Query(query, parent: parent, summing: summed)
    }

    /// As `Query.comparing`.
    package func comparing(with operands: [Value]) -> AggregationQuery? {
        guard let query = self.query.comparing(with: operands) else { return nil }
        var compared = self
        compared.query = query
        return compared
    }

    private static func neededFields(of aggregations: [Aggregation]) -> [FieldPath] {
        var fields: [FieldPath] = []
        for aggregation in aggregations {
            switch aggregation.operation {
            case .count: break
            case .sum(let path), .average(let path): if !fields.contains(path) { fields.append(path) }
            }
        }
        return fields
    }

    private static func countMax(of operations: [Aggregation.Operation]) -> Int? {
        var countMax = 0
        for operation in operations {
            guard case .count(let upTo?) = operation else { return nil }
            countMax = max(countMax, upTo)
        }
        return countMax
    }

    private static func operation(
        _ asked: StructuredAggregationQuery.Operation?
    ) throws(QueryError) -> Aggregation.Operation {
        switch asked {
        case nil: throw QueryError(.aggregationWithoutOperator)
        case .count(let upTo):
            if let upTo, upTo < 0 { throw QueryError(.negativeUpTo) }
            return .count(upTo: upTo.map { Int($0) })
        case .sum(let path): return .sum(try self.checked(path))
        case .average(let path): return .average(try self.checked(path))
        }
    }

    private static func checked(_ path: FieldPath?) throws(QueryError) -> FieldPath {
        guard let path else { throw QueryError(.document(DocumentError(.fieldPathEmpty))) }
        guard !path.isDocumentName else { throw QueryError(.aggregationOfName) }
        return path
    }

    /// `unnamed` counts the aggregations without an alias so far, this one included.
    private static func alias(_ asked: UTF8Text, unnamed: Int) throws(QueryError) -> UTF8Text {
        guard !asked.bytes.isEmpty else { return UTF8Text("field_\(unnamed)") }
        guard asked.bytes.count <= Limits.idBytesMax else {
            throw QueryError(.document(DocumentError(.fieldNameTooLong)))
        }
        guard !asked.isReservedName else {
            throw QueryError(.document(DocumentError(.fieldNameReserved(asked.string))))
        }
        return asked
    }
}
