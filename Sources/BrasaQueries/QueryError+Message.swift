internal import BrasaDocuments

extension QueryError: CustomStringConvertible {
    package var description: String { self.message }

    /// The text that clients see.
    package var message: String {
        switch self.reason {
        case .document(let error): error.message

        case .severalSelectors: "StructuredQuery.from cannot have more than one collection selector."
        case .kindRequiredForFilter(let path): "kind is required for filter: \(path.queryText)"
        case .kindRequiredForOrder: "kind is required for all orders except __key__ ascending"
        case .negativeLimit: "limit is negative"
        case .negativeOffset: "offset is negative"

        case .fieldsAfterKey: "order by clause cannot contain more fields after the key"
        case .duplicateOrder(let path): "order by clause cannot contain duplicate fields \(path.queryText)"
        case .cursorTooLong: "Cursor has too many values."
        case .cursorNotReference: "Cursor __key__ value is not a document reference."
        default: self.filterMessage
        }
    }

    private var filterMessage: String {
        switch self.reason {
        case .filterTypeUnset: "Unknown Filter type."
        case .filterNotReference: "__key__ filter value must be a Key"
        case .keyIsReserved: "the name __key__ is reserved"
        case .nameEqualityWithInequality:
            "Equality on key is not allowed if there are other inequality fields and key does not appear in "
                + "inequalities."
        case .emptyOr: "Composite filter must have at least one sub-filter."
        case .compositeOperatorUnspecified: "Unsupported CompositeFilter operator."
        case .fieldOperatorUnspecified: "Unknown FieldFilter operator."
        case .unaryOperatorUnspecified: "Unknown UnaryFilter operator."
        case .operandNotArray(let op): "'\(op.text)' requires an ArrayValue."
        case .operandEmpty(let op): "'\(op.text)' requires an non-empty ArrayValue."
        case .operandTooLong(let op):
            "'\(op.text)' supports up to "
                + "\(op == .notIn ? QueryLimits.notInMembersMax : QueryLimits.inMembersMax) comparison values."
        case .tooManyDisjunctions(let count):
            "Too many disjunctions after normalization. Result had \(count) disjunctions which is more than the "
                + "maximum of \(QueryLimits.disjunctionsMax)"
        case .severalArrayContains: "A maximum of 1 'ARRAY_CONTAINS' filter is allowed per disjunction."
        case .severalNegations:
            "Only a single 'NOT_EQUAL', 'NOT_IN', 'IS_NOT_NAN', or 'IS_NOT_NULL' filter allowed per query."
        case .notInWithDisjunction:
            "'NOT_IN' cannot be used in the same query with 'IN', 'ARRAY_CONTAINS_ANY' or 'OR'."
        case .tooManyInequalityFields(let paths):
            "The query contains \(paths.count) distinct inequality fields: "
                + "[\(paths.map(\.queryText).joined(separator: ", "))]. A query may not have more than "
                + "\(QueryLimits.inequalityFieldsMax) distinct inequality fields."
        case .tooManyClauses:
            "The query may not have more than \(QueryLimits.clausesMax) filters + sort orders + ancestor total."
        default: self.otherMessage
        }
    }

    private var otherMessage: String {
        switch self.reason {
        case .noAggregations: "Aggregations can not be empty."
        case .tooManyAggregations(let count):
            "The maximum number of aggregations allowed in an aggregation query is \(QueryLimits.aggregationsMax). "
                + "Received: \(count)"
        case .aggregationWithoutOperator: "Operator field in Aggregation is not set."
        case .aggregationOfName: "Aggregations are not supported for the property: __key__"
        case .summedAfterKey(let paths):
            "This query requires an index that has fields [\(paths.map(\.queryText).joined(separator: ", "))] after "
                + "__name__ and Firestore does not currently support such an index. Please try the query again with "
                + "additional ordering on those fields."
        case .duplicateAlias(let alias): "Aggregation aliases contain duplicate alias: \(alias)."
        case .negativeUpTo: "up_to is negative"

        case .nearestNotSupported(let clause): "\(clause.nearestText) cannot be used with FindNearest"
        case .nearestWithoutVector: "FindNearest.query_vector must be a vector."
        case .nearestLimit:
            "FindNearest.limit must be a positive integer of no more than \(QueryLimits.nearestLimitMax)"
        case .unknownDistanceMeasure: "Unknown Distance Measure."
        case .zeroMagnitude: "Cannot compute cosine distance against a vector with a magnitude of zero."

        case .partitionWithoutQuery: "Query is required."
        case .partitionCountNotPositive: "Partition count must be greater than zero."
        case .partitionNotSupported(let clause): clause.partitionText
        case .partitionOfCollection: "Query must select all descendant collections."
        case .partitionOrder: "Query must be ordered by __name__ ascending."
        default: "The query is invalid."
        }
    }
}

extension QueryError.Clause {
    fileprivate var nearestText: String {
        switch self {
        case .limit: "A query limit"
        case .offset: "A query offset"
        case .cursors: "Query cursors"
        case .projection: "A projection"
        case .filters: "Filters"
        case .ancestor: "A parent document"
        case .nearest: "FindNearest"
        }
    }
}

extension QueryError.Clause {
    fileprivate var partitionText: String {
        switch self {
        case .limit: "Query limit is not supported."
        case .offset: "Query offset is not supported."
        case .cursors: "Query cursors are not supported."
        case .projection: "Property masks are not supported."
        case .filters: "Query filters are not supported."
        case .ancestor: "Ancestor queries are not supported."
        case .nearest: "FindNearest is not supported."
        }
    }
}

extension FieldPath {
    /// The pseudo-field for the name has another one in these texts.
    fileprivate var queryText: String { self.isDocumentName ? "__key__" : self.canonical }
}

extension StructuredQuery.Filter.FieldOperator {
    fileprivate var text: String {
        switch self {
        case .unspecified: "OPERATOR_UNSPECIFIED"
        case .lessThan: "LESS_THAN"
        case .lessThanOrEqual: "LESS_THAN_OR_EQUAL"
        case .greaterThan: "GREATER_THAN"
        case .greaterThanOrEqual: "GREATER_THAN_OR_EQUAL"
        case .equal: "EQUAL"
        case .notEqual: "NOT_EQUAL"
        case .arrayContains: "ARRAY_CONTAINS"
        case .in: "IN"
        case .arrayContainsAny: "ARRAY_CONTAINS_ANY"
        case .notIn: "NOT_IN"
        }
    }
}
