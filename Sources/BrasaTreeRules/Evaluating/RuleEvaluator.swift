import BrasaRules
import BrasaTree

/// Works expressions out. Whatever has no value makes the whole rule false: nothing absorbs an error.
struct RuleEvaluator {
    enum Value {
        case scalar(RuleScalar)
        case snapshot(RuleSnapshot)
        /// Of a token: an object or an array.
        case claims(JSONValue)
        /// What a node with children holds: good for a comparison with null only.
        case children
    }

    let scope: RuleScope
    var work: Work

    init(_ scope: RuleScope, _ work: Work) {
        (self.scope, self.work) = (scope, work)
    }

    mutating func boolean(_ expression: RuleExpression) throws(EvaluationError) -> Bool {
        guard case .scalar(.boolean(let value)) = try self.value(expression) else { throw .mismatch("boolean") }
        return value
    }

    mutating func number(_ expression: RuleExpression) throws(EvaluationError) -> Double {
        guard case .scalar(.number(let value)) = try self.value(expression) else { throw .mismatch("number") }
        return value
    }

    mutating func text(_ expression: RuleExpression) throws(EvaluationError) -> TreeText {
        guard case .scalar(.string(let value)) = try self.value(expression) else { throw .mismatch("string") }
        return value
    }

    mutating func value(_ expression: RuleExpression) throws(EvaluationError) -> Value {
        try self.work.spend(Work.expression)
        switch expression {
        case .literal(let scalar): return .scalar(scalar)
        case .auth: return Value(self.scope.auth)
        case .now: return .scalar(.number(self.scope.now))
        case .capture(let index): return .scalar(.string(self.scope.captures[index]))
        case .snapshot(let name): return .snapshot(self.scope.snapshot(name))
        case .query(let member): return .scalar(member.value(in: self.scope.query))
        case .member(let base, let name): return try self.member(name, of: try self.value(base))
        case .index(let base, let index):
            let base = try self.value(base)
            return try self.member(try self.name(index), of: base)
        case .call(let base, let method, let arguments): return try self.call(base, method, arguments)
        case .matches(let base, let pattern):
            let text = try self.text(base)
            return .scalar(.boolean(try pattern.isFound(in: text.utf8, &self.work)))
        case .not, .negate, .all, .any, .equal, .compare, .add, .arithmetic, .conditional:
            return try self.operation(expression)
        }
    }

    private mutating func operation(_ expression: RuleExpression) throws(EvaluationError) -> Value {
        switch expression {
        case .not(let operand): return .scalar(.boolean(!(try self.boolean(operand))))
        case .negate(let operand): return .scalar(.number(-(try self.number(operand))))
        case .all(let operands):
            for operand in operands where !(try self.boolean(operand)) { return .scalar(.boolean(false)) }
            return .scalar(.boolean(true))
        case .any(let operands):
            for operand in operands where try self.boolean(operand) { return .scalar(.boolean(true)) }
            return .scalar(.boolean(false))
        case .equal(let left, let right, let isNegated):
            let left = try self.value(left)
            let areEqual = try self.areEqual(left, try self.value(right))
            return .scalar(.boolean(areEqual != isNegated))
        case .compare(let left, let comparison, let right): return try self.compare(left, comparison, right)
        case .add(let left, let right): return try self.sum(left, right)
        case .arithmetic(let left, let operation, let right):
            let left = try self.number(left)
            return .scalar(.number(operation.result(left, try self.number(right))))
        case .conditional(let condition, let yes, let no):
            return try self.boolean(condition) ? try self.value(yes) : try self.value(no)
        default: throw .mismatch("operation")
        }
    }

    private mutating func name(_ expression: RuleExpression) throws(EvaluationError) -> TreeText {
        switch try self.value(expression) {
        case .scalar(.string(let text)): return text
        case .scalar(.number(let number)): return number.ruleText
        default: throw .mismatch("string")
        }
    }

    /// A claim that is not there is null; of what is no object there are none.
    private mutating func member(_ name: TreeText, of value: Value) throws(EvaluationError) -> Value {
        switch value {
        case .claims(.object(let members)):
            try self.work.spend(elements: members.count)
            return Value(members.last { $0.key == name }?.value ?? .null)
        case .claims(.array(let elements)):
            guard let index = Int(name.string), elements.indices.contains(index) else { return .scalar(.null) }
            return Value(elements[index])
        case .scalar(.string(let text)) where name == "length":
            try self.work.spend(bytes: text.utf8.count, .each)
            return .scalar(.number(Double(text.utf8.reduce(0) { $0 + ($1 & 0xC0 == 0x80 ? 0 : $1 >= 0xF0 ? 2 : 1) })))
        case .scalar(.null): throw .nullValue
        default: throw .mismatch("object")
        }
    }

    private mutating func areEqual(_ left: Value, _ right: Value) throws(EvaluationError) -> Bool {
        switch (left, right) {
        case (.scalar(.null), .scalar(.null)): return true
        case (.scalar(.boolean(let left)), .scalar(.boolean(let right))): return left == right
        case (.scalar(.number(let left)), .scalar(.number(let right))): return left == right
        case (.scalar(.string(let left)), .scalar(.string(let right))):
            try self.work.spend(bytes: min(left.utf8.count, right.utf8.count), .block)
            return left == right
        case (.snapshot, _), (_, .snapshot): throw .mismatch("value")
        default: return false
        }
    }

    private mutating func compare(
        _ left: RuleExpression,
        _ comparison: RuleExpression.Comparison,
        _ right: RuleExpression
    ) throws(EvaluationError) -> Value {
        let left = try self.value(left)
        let holds: Bool
        switch (left, try self.value(right)) {
        case (.scalar(.number(let left)), .scalar(.number(let right))): holds = comparison.holds(left, right)
        case (.scalar(.string(let left)), .scalar(.string(let right))):
            try self.work.spend(bytes: min(left.utf8.count, right.utf8.count), .each)
            holds = comparison.holds(left, right)
        default: throw .mismatch("two numbers or two strings")
        }
        return .scalar(.boolean(holds))
    }

    private mutating func sum(_ left: RuleExpression, _ right: RuleExpression) throws(EvaluationError) -> Value {
        let left = try self.value(left)
        let right = try self.value(right)
        if case .scalar(.number(let left)) = left, case .scalar(.number(let right)) = right {
            return .scalar(.number(left + right))
        }
        guard case .scalar(let left) = left, case .scalar(let right) = right else { throw .mismatch("string") }
        guard left.isString || right.isString else { throw .mismatch("string") }
        // A number's digits have to be found.
        try self.work.spend(Work.access)
        let (one, other) = (left.concatenated, right.concatenated)
        try self.work.spend(bytes: one.utf8.count + other.utf8.count, .block)
        guard let text = TreeText(validating: one.utf8 + other.utf8) else { throw .mismatch("string") }
        return .scalar(.string(text))
    }
}

extension RuleEvaluator.Value {
    fileprivate init(_ claim: JSONValue) {
        switch claim {
        case .null: self = .scalar(.null)
        case .scalar(.boolean(let value)): self = .scalar(.boolean(value))
        case .scalar(.integer(let value)): self = .scalar(.number(Double(value)))
        case .scalar(.double(let value)): self = .scalar(.number(value))
        case .string(let text): self = .scalar(.string(text))
        case .array, .object: self = .claims(claim)
        }
    }
}

extension EvaluationError {
    static func mismatch(_ expected: String) -> EvaluationError { .type(received: "another value", expected: expected) }
}
