internal import BrasaQueries

/// Operators that cannot be in one query together.
enum FilterConflict {
    /// Throws when an operator of the filter conflicts with one of the filters before it, or with another of its own.
    static func check(
        _ filter: StructuredQuery.Filter,
        after others: [StructuredQuery.Filter]
    ) throws(UsageError) {
        var known = others.flatMap { self.operators(in: $0) }
        for op in self.operators(in: filter) {
            for other in known where self.conflicts(of: op).contains(other) {
                throw UsageError(
                    op == other
                        ? "A query cannot have more than one '\(self.name(of: op))' filter."
                        : "A query cannot have '\(self.name(of: op))' and '\(self.name(of: other))' filters together."
                )
            }
            known.append(op)
        }
    }

    private static func conflicts(
        of op: StructuredQuery.Filter.FieldOperator
    ) -> [StructuredQuery.Filter.FieldOperator] {
        switch op {
        case .notEqual: [.notEqual, .notIn]
        case .in, .arrayContainsAny: [.notIn]
        case .notIn: [.in, .arrayContainsAny, .notEqual, .notIn]
        default: []
        }
    }

    private static func operators(
        in filter: StructuredQuery.Filter
    ) -> [StructuredQuery.Filter.FieldOperator] {
        switch filter {
        case .unset: []
        case .composite(_, let parts): parts.flatMap { self.operators(in: $0) }
        case .field(_, let op, _): [op]
        case .unary(_, .isNotNull), .unary(_, .isNotNaN): [.notEqual]
        case .unary: [.equal]
        }
    }

    private static func name(of op: StructuredQuery.Filter.FieldOperator) -> String {
        switch op {
        case .notEqual: "isNotEqualTo"
        case .notIn: "notIn"
        case .in: "in"
        case .arrayContainsAny: "arrayContainsAny"
        default: "\(op)"
        }
    }
}
