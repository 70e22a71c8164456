package import BrasaDocuments

/// One condition on one field, or on the name under the path `__name__`.
package struct Term: Hashable, Sendable {
    package enum Condition: Hashable, Sendable {
        /// Also for the null and NaN forms: then the value is null or NaN.
        case equal(Value)
        /// Neither null nor NaN nor an array.
        case arrayContains(Value)
        case range(ValueRange)
        /// Not null either. The value is neither null nor NaN.
        case notEqual(Value)
        /// Equal to none of these and not null.
        case notIn([Value])
        case isNotNull
        /// Not null either.
        case isNotNaN
    }

    package let path: FieldPath
    package let condition: Condition

    package init(_ path: FieldPath, _ condition: Condition) {
        self.path = path
        self.condition = condition
    }

    package func matches(_ value: Value) -> Bool {
        switch self.condition {
        case .equal(let operand): return value == operand
        case .arrayContains(let operand):
            guard case .array(let elements) = value else { return false }
            return elements.contains(operand)
        case .range(let range): return range.contains(value)
        case .notEqual(let operand): return !value.isNull && value != operand
        case .notIn(let operands): return !value.isNull && !operands.contains(value)
        case .isNotNull: return !value.isNull
        case .isNotNaN: return !value.isNull && !value.isNaN
        }
    }
}

extension Value {
    package var isNull: Bool {
        if case .null = self { true } else { false }
    }
}
