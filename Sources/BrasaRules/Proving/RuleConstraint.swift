internal import BrasaDocuments
package import BrasaQueries

/// What a query's filters say of a field without giving its value: at least one condition, all of which hold.
package struct RuleConstraint: Sendable {
    package let conditions: [Term.Condition]

    /// Whether no value that meets the conditions equals this one, as `==` compares.
    func excludes(_ value: RuleValue) -> Bool {
        // A missing field meets no condition, and one of them asks for null only by giving the value.
        if case .null = value { return self.conditions.contains { $0 != .equal(.null) } }
        guard let value = value.stored, !value.isRounded else { return false }
        return self.conditions.contains { condition in
            switch condition {
            case .range(let range): range.valueClass == ValueClass(of: value) && !range.contains(value)
            case .notEqual(let other): other == value
            case .notIn(let others): others.contains(value)
            case .equal, .arrayContains, .isNotNull, .isNotNaN: false
            }
        }
    }

    /// Whether every value that meets the conditions compares like this with the given one.
    func proves(_ known: BinaryOperator, _ value: RuleValue) -> Bool {
        guard value.hasOrder, let value = value.stored, !value.isRounded, !value.isOrderedOtherwise else {
            return false
        }
        return self.conditions.contains { condition in
            guard case .range(let range) = condition, range.valueClass == ValueClass(of: value) else { return false }
            let isLess = known == .less || known == .lessOrEqual
            guard let bound = isLess ? range.upper : range.lower, !bound.value.isOrderedOtherwise else { return false }
            switch Value.compare(bound.value, value) {
            case .same: return known == .lessOrEqual || known == .greaterOrEqual || !bound.isInclusive
            case .ascending: return isLess
            case .descending: return !isLess
            }
        }
    }

    /// Whether every list that meets the conditions holds this value, as `in` compares.
    func proves(holding value: RuleValue) -> Bool {
        self.conditions.contains { condition in
            guard case .arrayContains(let element) = condition, element.isOneValue else { return false }
            return RuleValue.strictlyEqual(RuleValue(element), value)
        }
    }

    /// For people.
    var text: String {
        let conditions = self.conditions.map { condition in
            switch condition {
            case .equal(let value): "== \(RuleValue(value).debugText)"
            case .notEqual(let value): "!= \(RuleValue(value).debugText)"
            case .arrayContains(let value): "contains \(RuleValue(value).debugText)"
            case .notIn(let values): "not in \(RuleValue.list(values.map { RuleValue($0) }).debugText)"
            case .isNotNull: "!= null"
            case .isNotNaN: "!= NaN"
            case .range(let range):
                [
                    range.lower.map { "\($0.isInclusive ? ">=" : ">") \(RuleValue($0.value).debugText)" },
                    range.upper.map { "\($0.isInclusive ? "<=" : "<") \(RuleValue($0.value).debugText)" },
                ].compactMap { $0 }.joined(separator: " and ")
            }
        }
        return "constraint(\(conditions.joined(separator: " and ")))"
    }
}

extension RuleValue {
    /// Whether rules may compare it with others of its type.
    fileprivate var hasOrder: Bool {
        switch self {
        case .int, .float, .string, .bytes, .timestamp, .duration: true
        default: false
        }
    }

    /// The scalar that a document would hold; nil for other values, and for times that it would round.
    fileprivate var stored: Value? {
        switch self {
        case .null: .null
        case .bool(let bool): .boolean(bool)
        case .int(let int): .integer(int)
        case .float(let float): .double(float)
        case .string(let text): .string(text)
        case .bytes(let bytes): .bytes(bytes)
        case .timestamp(let time): time.stored.map { .timestamp($0) }
        default: nil
        }
    }
}

extension Value {
    /// Queries compare numbers exactly, rules as doubles: they agree on what is less than 2⁵³ away from zero.
    fileprivate var isRounded: Bool {
        switch self {
        case .integer(let int): int.magnitude >= 1 << 53
        case .double(let double): !(double.magnitude < 0x1p53)
        default: false
        }
    }

    /// Queries order strings by bytes, rules by UTF-16 units: they agree where all code points are below the surrogates.
    fileprivate var isOrderedOtherwise: Bool {
        if case .string(let text) = self { text.bytes.contains { $0 >= 0xEE } } else { false }
    }

    /// Whether only one value, as rules tell values apart, is equal to this one as queries compare: 3 and 3.0 are equal
    /// to them, and so are both zeros. Recurses as deep as the value nests.
    var isOneValue: Bool {
        switch self {
        case .integer(let int): Double(exactly: int) == nil
        case .double(let double): double.isNaN || Int64(exactly: double) == nil
        case .geoPoint(let latitude, let longitude): latitude != 0 && longitude != 0
        case .array(let elements): elements.allSatisfy(\.isOneValue)
        case .map(let entries): self.vectorComponents != nil || entries.allSatisfy(\.value.isOneValue)
        default: true
        }
    }

    /// The values that are equal to this one as queries compare; nil when there may be many.
    var equalValues: [RuleValue]? {
        if self.isOneValue { return [RuleValue(self)] }
        switch self {
        case .integer(0), .double(0): return [.int(0), .float(0), .float(-0.0)]
        case .integer(let int): return [.int(int), .float(Double(int))]
        case .double(let double): return Int64(exactly: double).map { [.int($0), .float(double)] }
        default: return nil
        }
    }
}
