internal import BrasaDocuments
internal import BrasaQueries

extension QueryModel {
    func holds(_ filter: StructuredQuery.Filter, for document: ModelDocument) -> Bool {
        switch filter {
        case .unset: return true
        case .composite(.or, let filters): return filters.contains { self.holds($0, for: document) }
        case .composite(_, let filters): return filters.allSatisfy { self.holds($0, for: document) }
        case .unary(let path?, let op):
            guard let value = self.value(document, path) else { return false }
            return self.holds(op, for: value)
        case .field(let path?, let op, let operand?):
            guard let value = self.value(document, path) else { return false }
            return self.holds(op, operand, for: value)
        case .unary, .field: return false
        }
    }

    private func holds(_ op: StructuredQuery.Filter.UnaryOperator, for value: Value) -> Bool {
        switch op {
        case .isNull: value.isNull
        case .isNaN: value.isNaN
        case .isNotNull: !value.isNull
        case .isNotNaN: !value.isNull && !value.isNaN
        case .unspecified: false
        }
    }

    private func holds(_ op: StructuredQuery.Filter.FieldOperator, _ operand: Value, for value: Value) -> Bool {
        switch op {
        case .equal: return self.isComparable(operand) && value == operand
        case .lessThan: return self.areOfOneClass(value, operand) && value < operand
        case .lessThanOrEqual: return self.areOfOneClass(value, operand) && value <= operand
        case .greaterThan: return self.areOfOneClass(value, operand) && value > operand
        case .greaterThanOrEqual: return self.areOfOneClass(value, operand) && value >= operand
        case .notEqual: return !operand.isNull && !value.isNull && value != operand
        case .in:
            return self.members(operand).contains { self.isComparable($0) && value == $0 }
        case .notIn:
            let members = self.members(operand)
            return !members.contains { $0.isNull } && !value.isNull && !members.contains(value)
        case .arrayContains:
            return self.isElement(operand) && self.members(value).contains(operand)
        case .arrayContainsAny:
            return self.members(operand).contains { self.isElement($0) && self.members(value).contains($0) }
        case .unspecified: return false
        }
    }

    private func members(_ value: Value) -> [Value] {
        if case .array(let members) = value { members } else { [] }
    }

    /// Null and NaN are never equal to anything by an operator.
    private func isComparable(_ value: Value) -> Bool {
        !value.isNull && !value.isNaN
    }

    private func isElement(_ value: Value) -> Bool {
        if case .array = value { false } else { self.isComparable(value) }
    }

    /// Comparisons never cross the classes of values, and there are none of null and NaN.
    private func areOfOneClass(_ left: Value, _ right: Value) -> Bool {
        guard self.isComparable(left), self.isComparable(right) else { return false }
        switch (left, right) {
        case (.boolean, .boolean), (.timestamp, .timestamp), (.string, .string), (.bytes, .bytes): return true
        case (.reference, .reference), (.geoPoint, .geoPoint), (.array, .array): return true
        case (.map, .map): return (left.vectorComponents == nil) == (right.vectorComponents == nil)
        default: return left.isNumber && right.isNumber
        }
    }
}
