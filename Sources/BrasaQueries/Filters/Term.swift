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
        self.matches(candidate: value)
    }

    func matches(candidate value: some MatchCandidate) -> Bool {
        switch self.condition {
        case .equal(let operand): value.compare(to: operand) == .same
        case .arrayContains(let operand): value.hasElement(among: [operand])
        case .range(let range): range.contains(candidate: value)
        case .notEqual(let operand): !value.isNull && value.compare(to: operand) != .same
        case .notIn(let operands): !value.isNull && !operands.contains { value.compare(to: $0) == .same }
        case .isNotNull: !value.isNull
        case .isNotNaN: !value.isNull && value.tag != ValueClass.nan.rawValue
        }
    }
}

/// What a condition is about: a decoded value, or one in its bytes.
protocol MatchCandidate {
    /// The value's class, as in `ValueClass`.
    var tag: UInt8 { get }
    func compare(to other: Value) -> Ordering
    /// Whether it is an array with an element equal to one of the values.
    func hasElement(among values: [Value]) -> Bool
}

extension MatchCandidate {
    fileprivate var isNull: Bool { self.tag == ValueClass.null.rawValue }
}

extension Value: MatchCandidate {
    func compare(to other: Value) -> Ordering { Value.compare(self, other) }

    func hasElement(among values: [Value]) -> Bool {
        guard case .array(let elements) = self else { return false }
        return elements.contains { values.contains($0) }
    }
}

extension EncodedValue: MatchCandidate {
    func hasElement(among values: [Value]) -> Bool {
        self.hasElement { element in values.contains { element.compare(to: $0) == .same } }
    }
}

extension Value {
    package var isNull: Bool {
        if case .null = self { true } else { false }
    }
}
