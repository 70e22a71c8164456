internal import BrasaDocuments

/// Expressions over what a query says of its documents. Whatever that does not decide is `undetermined`, which denies
/// like an error: a document could come out that the rule refuses.
extension Evaluator {
    func prove(_ known: BinaryOperator, _ one: RuleValue, _ other: RuleValue) throws(EvaluationError) -> RuleValue {
        let isProven: Bool
        switch (known, one, other) {
        case (.equal, .map, _), (.equal, _, .map), (.notEqual, .map, _), (.notEqual, _, .map):
            // A map is no value of another type, whatever is in it.
            guard one.type != other.type, one.type != .constraint, other.type != .constraint else {
                throw .undetermined
            }
            return .bool(known == .notEqual)
        case (.notEqual, .constraint(let constraint), let value) where !value.isPartial,
            (.notEqual, let value, .constraint(let constraint)) where !value.isPartial:
            isProven = constraint.excludes(value)
        case (.less, .constraint(let constraint), let value), (.lessOrEqual, .constraint(let constraint), let value),
            (.greater, .constraint(let constraint), let value),
            (.greaterOrEqual, .constraint(let constraint), let value):
            isProven = constraint.proves(known, value)
        case (.less, let value, .constraint(let constraint)): isProven = constraint.proves(.greater, value)
        case (.lessOrEqual, let value, .constraint(let constraint)):
            isProven = constraint.proves(.greaterOrEqual, value)
        case (.greater, let value, .constraint(let constraint)): isProven = constraint.proves(.less, value)
        case (.greaterOrEqual, let value, .constraint(let constraint)):
            isProven = constraint.proves(.lessOrEqual, value)
        case (.in, .string(let key), .map(let map)): isProven = map.value(key) != nil
        case (.in, let value, .constraint(let constraint)) where !value.isPartial:
            isProven = constraint.proves(holding: value)
        default: isProven = false
        }
        guard isProven else { throw .undetermined }
        return .bool(true)
    }

    /// A method of which receiver or arguments are known in part.
    mutating func prove(
        _ method: MethodName,
        on receiver: RuleValue,
        _ arguments: [RuleValue]
    ) throws(EvaluationError) -> RuleValue {
        guard !arguments.contains(where: \.isPartial) else { throw .undetermined }
        switch (method, receiver) {
        case (.get, .map) where arguments.count == 2: return try self.knownValue(arguments[0], in: receiver)
        case (.hasAny, .constraint(let constraint)) where arguments.count == 1:
            guard case .list(let elements) = arguments[0] else { throw .undetermined }
            try self.work.spend(on: elements)
            guard elements.contains(where: { constraint.proves(holding: $0) }) else { throw .undetermined }
            return .bool(true)
        default: throw .undetermined
        }
    }

    /// `get(key, default)` where the key is there.
    private func knownValue(_ key: RuleValue, in map: RuleValue) throws(EvaluationError) -> RuleValue {
        let names: [RuleValue]
        switch key {
        case .string: names = [key]
        case .list(let list): names = list
        default: throw .undetermined
        }
        var found = map
        for name in names {
            guard case .string(let name) = name, case .map(let map) = found, let next = map.value(name) else {
                throw .undetermined
            }
            found = next
        }
        return found
    }
}

extension RuleValue {
    /// Known in part only. What is made of such a value is not kept in lists, sets and maps.
    var isPartial: Bool {
        switch self {
        case .constraint: true
        case .map(let map): map.isOpen
        case .path(let path): path.isOpen
        default: false
        }
    }
}
