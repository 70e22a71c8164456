import BrasaDocuments
import BrasaGRPC
import BrasaQueries
import BrasaWire

extension NameQuery {
    /// The query that a message asks for. What is not built yet is refused by name, never left out.
    init(_ message: StructuredQuery, parent: ParentName) throws(GRPCStatus) {
        if message.findNearest != nil { throw .unsupportedClause("find_nearest") }
        let filters = try message.filter.map { filter throws(GRPCStatus) in try Self.conjunction(filter) } ?? []
        do throws(QueryError) {
            try self.init(
                parent: parent,
                from: message.from.map {
                    CollectionSelector(collectionID: $0.collectionID, allDescendants: $0.allDescendants)
                },
                filters: filters,
                orders: message.orderBy.map {
                    QueryOrder(path: $0.field, isDescending: $0.direction == .descending)
                },
                startAt: message.startAt.map { QueryCursor(values: $0.values, isBefore: $0.before) },
                endAt: message.endAt.map { QueryCursor(values: $0.values, isBefore: $0.before) },
                offset: message.offset,
                limit: message.limit,
                select: message.select
            )
        } catch {
            throw GRPCStatus(error)
        }
    }

    /// The comparisons that must all hold. The wire room bounds how deep filters nest.
    private static func conjunction(_ filter: StructuredQuery.Filter) throws(GRPCStatus) -> [QueryFilter] {
        switch filter {
        case .unset:
            return []
        case .composite(.and, let parts):
            var filters: [QueryFilter] = []
            for part in parts { filters += try Self.conjunction(part) }
            return filters
        case .composite(.or, let parts) where parts.isEmpty:
            throw GRPCStatus(.invalidArgument, "Composite filter must have at least one sub-filter.")
        case .composite(.or, let parts):
            guard let only = parts.first, parts.count == 1 else { throw .unsupportedClause("OR") }
            return try Self.conjunction(only)
        case .composite(.unspecified, _):
            throw GRPCStatus(.invalidArgument, "Unsupported CompositeFilter operator.")
        case .unary(_, .unspecified):
            throw GRPCStatus(.invalidArgument, "Unknown UnaryFilter operator.")
        case .unary(let path, _):
            throw .unsupportedClause("a filter on \(path?.canonical ?? "no field")")
        case .field(_, .unspecified, _):
            throw GRPCStatus(.invalidArgument, "Unknown FieldFilter operator.")
        case .field(let path, let comparison, let value):
            guard let path else { throw GRPCStatus(DocumentError(.fieldPathEmpty)) }
            guard let value else { throw GRPCStatus(DocumentError(.valueTypeUnset)) }
            return [QueryFilter(path: path, comparison: Self.comparison(comparison), value: value)]
        }
    }

    private static func comparison(_ comparison: StructuredQuery.Filter.FieldOperator) -> QueryFilter.Comparison {
        switch comparison {
        case .lessThan: .lessThan
        case .lessThanOrEqual: .lessThanOrEqual
        case .greaterThan: .greaterThan
        case .greaterThanOrEqual: .greaterThanOrEqual
        case .equal: .equal
        case .arrayContains, .arrayContainsAny: .arrayContains
        case .unspecified, .notEqual, .in, .notIn: .other
        }
    }
}

extension GRPCStatus {
    static func unsupportedClause(_ clause: String) -> GRPCStatus {
        GRPCStatus(.unimplemented, "Queries with \(clause) are not supported yet.")
    }
}
