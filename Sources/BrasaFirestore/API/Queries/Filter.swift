internal import BrasaQueries

/// A condition on documents, for ``Query/whereFilter(_:)``.
// @unchecked: never changed after init, and the operands are frozen copies.
public final class Filter: @unchecked Sendable {
    indirect enum Node {
        case field(FieldPath, StructuredQuery.Filter.FieldOperator, Any)
        case composite(StructuredQuery.Filter.CompositeOperator, [Filter])
    }

    let node: Node

    private init(_ node: Node) {
        self.node = node
    }

    private convenience init(_ field: String, _ op: StructuredQuery.Filter.FieldOperator, _ value: Any) {
        self.init(.field(FieldPath(text: field), op, frozen(value)))
    }

    private convenience init(_ path: FieldPath, _ op: StructuredQuery.Filter.FieldOperator, _ value: Any) {
        self.init(.field(path, op, frozen(value)))
    }

    /// Holds where one of the filters does.
    public static func orFilter(_ filters: [Filter]) -> Filter { Filter(.composite(.or, filters)) }

    /// Holds where all filters do.
    public static func andFilter(_ filters: [Filter]) -> Filter { Filter(.composite(.and, filters)) }
}

extension Filter {
    public static func whereField(_ field: String, isEqualTo value: Any) -> Filter { Filter(field, .equal, value) }
    public static func whereField(_ path: FieldPath, isEqualTo value: Any) -> Filter { Filter(path, .equal, value) }

    public static func whereField(_ field: String, isNotEqualTo value: Any) -> Filter {
        Filter(field, .notEqual, value)
    }
    public static func whereField(_ path: FieldPath, isNotEqualTo value: Any) -> Filter {
        Filter(path, .notEqual, value)
    }

    public static func whereField(_ field: String, isGreaterThan value: Any) -> Filter {
        Filter(field, .greaterThan, value)
    }
    public static func whereField(_ path: FieldPath, isGreaterThan value: Any) -> Filter {
        Filter(path, .greaterThan, value)
    }

    public static func whereField(_ field: String, isGreaterOrEqualTo value: Any) -> Filter {
        Filter(field, .greaterThanOrEqual, value)
    }
    public static func whereField(_ path: FieldPath, isGreaterOrEqualTo value: Any) -> Filter {
        Filter(path, .greaterThanOrEqual, value)
    }

    /// As `Query` spells it.
    public static func whereField(_ field: String, isGreaterThanOrEqualTo value: Any) -> Filter {
        Filter(field, .greaterThanOrEqual, value)
    }
    public static func whereField(_ path: FieldPath, isGreaterThanOrEqualTo value: Any) -> Filter {
        Filter(path, .greaterThanOrEqual, value)
    }

    public static func whereField(_ field: String, isLessThan value: Any) -> Filter { Filter(field, .lessThan, value) }
    public static func whereField(_ path: FieldPath, isLessThan value: Any) -> Filter {
        Filter(path, .lessThan, value)
    }

    public static func whereField(_ field: String, isLessThanOrEqualTo value: Any) -> Filter {
        Filter(field, .lessThanOrEqual, value)
    }
    public static func whereField(_ path: FieldPath, isLessThanOrEqualTo value: Any) -> Filter {
        Filter(path, .lessThanOrEqual, value)
    }

    public static func whereField(_ field: String, arrayContains value: Any) -> Filter {
        Filter(field, .arrayContains, value)
    }
    public static func whereField(_ path: FieldPath, arrayContains value: Any) -> Filter {
        Filter(path, .arrayContains, value)
    }

    public static func whereField(_ field: String, arrayContainsAny values: [Any]) -> Filter {
        Filter(field, .arrayContainsAny, values)
    }
    public static func whereField(_ path: FieldPath, arrayContainsAny values: [Any]) -> Filter {
        Filter(path, .arrayContainsAny, values)
    }

    public static func whereField(_ field: String, in values: [Any]) -> Filter { Filter(field, .in, values) }
    public static func whereField(_ path: FieldPath, in values: [Any]) -> Filter { Filter(path, .in, values) }

    public static func whereField(_ field: String, notIn values: [Any]) -> Filter { Filter(field, .notIn, values) }
    public static func whereField(_ path: FieldPath, notIn values: [Any]) -> Filter { Filter(path, .notIn, values) }
}
