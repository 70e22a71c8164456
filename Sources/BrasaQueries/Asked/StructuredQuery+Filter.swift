package import BrasaDocuments

extension StructuredQuery {
    /// A filter as it was asked for. Operator numbers that the protocol does not know read as unspecified.
    package indirect enum Filter: Hashable, Sendable {
        /// A Filter message with no member set.
        case unset
        case composite(CompositeOperator, [Filter])
        /// Nil where the message had none.
        case field(FieldPath?, FieldOperator, Value?)
        case unary(FieldPath?, UnaryOperator)

        package enum CompositeOperator: Int32, Hashable, Sendable {
            case unspecified = 0
            case and = 1
            case or = 2
        }

        package enum FieldOperator: Int32, Hashable, Sendable {
            case unspecified = 0
            case lessThan = 1
            case lessThanOrEqual = 2
            case greaterThan = 3
            case greaterThanOrEqual = 4
            case equal = 5
            case notEqual = 6
            case arrayContains = 7
            case `in` = 8
            case arrayContainsAny = 9
            case notIn = 10
        }

        package enum UnaryOperator: Int32, Hashable, Sendable {
            case unspecified = 0
            case isNaN = 2
            case isNull = 3
            case isNotNaN = 4
            case isNotNull = 5
        }
    }
}
