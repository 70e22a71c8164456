internal import BrasaDocuments
package import BrasaQueries

/// What a query's filters say of a field without giving its value: at least one condition, all of which hold.
package struct RuleConstraint: Sendable {
    package let conditions: [Term.Condition]
    /// What looking at all of them costs: that, and no less, is paid for each question.
    private let work: Int
    /// Of the conditions that give one, the element that a list must hold.
    private let elements: [RuleValue]

    init(conditions: [Term.Condition]) {
        self.conditions = conditions
        self.work = conditions.reduce(0) { $0 + $1.work }
        self.elements = conditions.compactMap { condition in
            guard case .arrayContains(let element) = condition, element.isOneValue else { return nil }
            return RuleValue(element)
        }
    }

    /// Whether no value that meets the conditions equals this one, as `==` compares.
    func excludes(_ value: RuleValue, _ work: inout Work) throws(EvaluationError) -> Bool {
        try work.spend(self.work)
        // A missing field meets no condition, and one of them asks for null only by giving the value.
        if case .null = value { return self.conditions.contains { $0 != .equal(.null) } }
        guard let value = try value.stored(&work), !value.isRounded else { return false }
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
    func proves(
        _ known: BinaryOperator,
        _ value: RuleValue,
        _ work: inout Work
    ) throws(EvaluationError) -> Bool {
        try work.spend(self.work)
        guard value.hasOrder, let value = try value.stored(&work), !value.isRounded, !value.isOrderedOtherwise else {
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
    func proves(holding value: RuleValue, _ work: inout Work) throws(EvaluationError) -> Bool {
        for element in self.elements where try RuleValue.equal(element, value, as: .elements, &work) { return true }
        return false
    }

    /// For people.
    var text: String {
        let conditions = self.conditions.map { condition in
            switch condition {
            case .equal(let value): "== \(RuleValue(value).debugText)"
            case .notEqual(let value): "!= \(RuleValue(value).debugText)"
            case .arrayContains(let value): "contains \(RuleValue(value).debugText)"
            case .notIn(let values): "not in \(RuleValue.list(RuleList(values.map { RuleValue($0) })).debugText)"
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
    fileprivate func stored(_ work: inout Work) throws(EvaluationError) -> Value? {
        switch self {
        case .null: .null
        case .bool(let bool): .boolean(bool)
        case .int(let int): .integer(int)
        case .float(let float): .double(float)
        case .string(let text): UTF8Text(validating: try text.all(.each, &work)).map { .string($0) }
        case .bytes(let bytes): .bytes(Array(try bytes.all(.each, &work)))
        case .timestamp(let time): time.stored.map { .timestamp($0) }
        default: nil
        }
    }
}

extension Term.Condition {
    /// What comparing a value with this costs at most.
    fileprivate var work: Int {
        switch self {
        case .equal(let value), .notEqual(let value), .arrayContains(let value): value.work
        case .notIn(let values): values.reduce(Work.element) { $0 + $1.work }
        case .range(let range): (range.lower?.value.work ?? 0) + (range.upper?.value.work ?? 0)
        case .isNotNull, .isNotNaN: Work.step
        }
    }
}

extension Value {
    /// What comparing this with another costs at most. Recurses as deep as the value nests.
    fileprivate var work: Int {
        switch self {
        case .string(let text): Work.element + text.bytes.count
        case .bytes(let bytes): Work.element + bytes.count
        case .reference(let name): Work.element + name.bytes.count
        case .array(let elements): elements.reduce(Work.element) { $0 + $1.work }
        case .map(let entries): entries.reduce(Work.element) { $0 + $1.key.bytes.count + $1.value.work }
        default: Work.element
        }
    }

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
