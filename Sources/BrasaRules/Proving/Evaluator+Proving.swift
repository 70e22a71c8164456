internal import BrasaDocuments

/// Expressions over what a query says of its documents. Whatever that does not decide is `undetermined`, which denies
/// like an error: a document could come out that the rule refuses.
extension Evaluator {
    mutating func prove(
        _ known: BinaryOperator,
        _ one: RuleValue,
        _ other: RuleValue
    ) throws(EvaluationError) -> RuleValue {
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
            isProven = try constraint.excludes(value, &self.work)
        case (.less, .constraint(let constraint), let value), (.lessOrEqual, .constraint(let constraint), let value),
            (.greater, .constraint(let constraint), let value),
            (.greaterOrEqual, .constraint(let constraint), let value):
            isProven = try constraint.proves(known, value, &self.work)
        case (.less, let value, .constraint(let constraint)):
            isProven = try constraint.proves(.greater, value, &self.work)
        case (.lessOrEqual, let value, .constraint(let constraint)):
            isProven = try constraint.proves(.greaterOrEqual, value, &self.work)
        case (.greater, let value, .constraint(let constraint)):
            isProven = try constraint.proves(.less, value, &self.work)
        case (.greaterOrEqual, let value, .constraint(let constraint)):
            isProven = try constraint.proves(.lessOrEqual, value, &self.work)
        case (.in, .string(let key), .map(let map)): isProven = try map.value(key, &self.work) != nil
        case (.in, let value, .constraint(let constraint)) where !value.isPartial:
            isProven = try constraint.proves(holding: value, &self.work)
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
            var cursor = elements.cursor
            while let element = try cursor.next(&self.work) {
                if try constraint.proves(holding: element, &self.work) { return .bool(true) }
            }
            throw .undetermined
        default: throw .undetermined
        }
    }

    /// `get(key, default)` where the key is there.
    private mutating func knownValue(_ key: RuleValue, in map: RuleValue) throws(EvaluationError) -> RuleValue {
        let names: RuleList
        switch key {
        case .string: names = RuleList([key])
        case .list(let list): names = list
        default: throw .undetermined
        }
        var found = map
        var cursor = names.cursor
        while let name = try cursor.next(&self.work) {
            guard case .string(let name) = name, case .map(let map) = found,
                let next = try map.value(name, &self.work)
            else { throw .undetermined }
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
