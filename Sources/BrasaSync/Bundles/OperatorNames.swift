internal import BrasaQueries

extension StructuredQuery.Filter.FieldOperator {
    private static let names: [(Self, String)] = [
        (.lessThan, "LESS_THAN"), (.lessThanOrEqual, "LESS_THAN_OR_EQUAL"), (.greaterThan, "GREATER_THAN"),
        (.greaterThanOrEqual, "GREATER_THAN_OR_EQUAL"), (.equal, "EQUAL"), (.notEqual, "NOT_EQUAL"),
        (.arrayContains, "ARRAY_CONTAINS"), (.in, "IN"), (.arrayContainsAny, "ARRAY_CONTAINS_ANY"), (.notIn, "NOT_IN"),
    ]

    var protocolName: String { Self.names.first { $0.0 == self }?.1 ?? "OPERATOR_UNSPECIFIED" }

    init?(protocolName: String?) {
        guard let known = Self.names.first(where: { $0.1 == protocolName }) else { return nil }
        self = known.0
    }
}

extension StructuredQuery.Filter.UnaryOperator {
    private static let names: [(Self, String)] = [
        (.isNaN, "IS_NAN"), (.isNull, "IS_NULL"), (.isNotNaN, "IS_NOT_NAN"), (.isNotNull, "IS_NOT_NULL"),
    ]

    var protocolName: String { Self.names.first { $0.0 == self }?.1 ?? "OPERATOR_UNSPECIFIED" }

    init?(protocolName: String?) {
        guard let known = Self.names.first(where: { $0.1 == protocolName }) else { return nil }
        self = known.0
    }
}
