import BrasaRules
import BrasaTree

extension ExpressionParser {
    mutating func postfix() throws(RulesFault) -> TypedExpression {
        var operand = try self.primary()
        while let mark = self.isAt(".", "[") {
            try self.advance(operandMayBegin: mark == "[")
            if mark == "[" {
                operand = try self.subscripted(operand)
                continue
            }
            guard case .name(let name) = self.token else { throw self.unexpected() }
            let offset = self.start
            try self.advance(operandMayBegin: false)
            operand =
                self.isAt("(") != nil
                ? try self.call(operand, name, offset) : try self.member(operand, name, offset)
        }
        return operand
    }

    private mutating func primary() throws(RulesFault) -> TypedExpression {
        let offset = self.start
        let token = self.token
        if self.isAt("(") != nil {
            try self.advance(operandMayBegin: true)
            let inner = try self.conditional()
            try self.take(")", operandMayBegin: false)
            return inner
        }
        var expression: RuleExpression
        var type: StaticType
        switch token {
        case .number(let value): (expression, type) = (.literal(.number(value)), .number)
        case .text(let text):
            guard let text = TreeText(validating: text) else { throw self.unexpected() }
            (expression, type) = (.literal(.string(text)), .string)
        case .capture(let name):
            guard let index = self.captures.firstIndex(of: name) else {
                throw RulesFault("Unknown variable '\(name)'.", at: offset)
            }
            (expression, type) = (.capture(index), .string)
        case .name(let name): (expression, type) = try self.named(name, offset)
        default: throw self.unexpected()
        }
        try self.advance(operandMayBegin: false)
        return TypedExpression(expression: expression, type: type, offset: offset)
    }

    private func named(_ name: String, _ offset: Int) throws(RulesFault) -> (RuleExpression, StaticType) {
        switch name {
        case "true": return (.literal(.boolean(true)), .boolean)
        case "false": return (.literal(.boolean(false)), .boolean)
        case "null": return (.literal(.null), .null)
        case "auth": return (.auth, [.null, .object])
        case "now": return (.now, .number)
        case "root": return (.snapshot(.root), .snapshot)
        case "data": return (.snapshot(.data), .snapshot)
        case "newData" where self.hasNewData: return (.snapshot(.newData), .snapshot)
        case "newData": throw RulesFault("A .read rule has no newData.", at: offset)
        // Only its members have values.
        case "query": return (.literal(.null), .query)
        default: throw RulesFault("Unknown variable '\(name)'.", at: offset)
        }
    }

    private func member(_ base: TypedExpression, _ name: String, _ offset: Int) throws(RulesFault) -> TypedExpression {
        if base.type == .query, let member = RuleExpression.QueryMember(rawValue: name) {
            return try self.nested(.query(member), member.type, over: [base])
        }
        let isKnown = base.type.contains(.object) || base.type.contains(.string) && name == "length"
        guard isKnown, base.type.isSubset(of: .unknown) else {
            throw RulesFault("No such method/property '\(name)'.", at: offset)
        }
        let type: StaticType = base.type.contains(.object) ? .unknown : .number
        return try self.nested(.member(base.expression, TreeText(name)), type, over: [base])
    }

    private mutating func subscripted(_ base: TypedExpression) throws(RulesFault) -> TypedExpression {
        let index = try self.conditional()
        try self.take("]", operandMayBegin: false)
        if case .literal(.string(let name)) = index.expression {
            return try self.member(base, name.string, index.offset)
        }
        try self.require(base, .object, "Only auth and what is in it can be looked into")
        try self.require(index, [.string, .number], "The name of a property must be a string")
        return try self.nested(.index(base.expression, index.expression), .unknown, over: [base, index])
    }

    private mutating func call(
        _ base: TypedExpression,
        _ name: String,
        _ offset: Int
    ) throws(RulesFault) -> TypedExpression {
        try self.take("(", operandMayBegin: true)
        if name == "matches", !base.type.isDisjoint(with: .string), base.type != .snapshot {
            return try self.matches(base)
        }
        guard let method = RuleMethod(rawValue: name), !base.type.isDisjoint(with: method.receiver) else {
            throw RulesFault("No such method/property '\(name)'.", at: offset)
        }
        var arguments: [TypedExpression] = []
        if method == .hasChildren, self.isAt("[") != nil {
            arguments = try self.list()
        } else {
            while self.isAt(")") == nil {
                if !arguments.isEmpty { try self.take(",", operandMayBegin: true) }
                arguments.append(try self.conditional())
            }
            guard arguments.count == method.stringCount else {
                throw RulesFault("'\(name)' takes \(method.stringCount) arguments.", at: offset)
            }
        }
        try self.take(")", operandMayBegin: false)
        for argument in arguments { try self.require(argument, .string, "Arguments of '\(name)' must be strings") }
        let call = RuleExpression.call(base.expression, method, arguments.map(\.expression))
        return try self.nested(call, method.result, over: [base] + arguments)
    }

    private mutating func list() throws(RulesFault) -> [TypedExpression] {
        let offset = self.start
        var elements: [TypedExpression] = []
        try self.advance(operandMayBegin: true)
        while self.isAt("]") == nil {
            if !elements.isEmpty { try self.take(",", operandMayBegin: true) }
            elements.append(try self.conditional())
        }
        guard !elements.isEmpty else { throw RulesFault("hasChildren needs at least one key.", at: offset) }
        try self.advance(operandMayBegin: false)
        return elements
    }

    private mutating func matches(_ base: TypedExpression) throws(RulesFault) -> TypedExpression {
        guard case .pattern(let bytes, let ignoresCase) = self.token else {
            throw RulesFault("'matches' takes a regular expression literal.", at: self.start)
        }
        let offset = self.start
        let pattern: TextPattern
        do throws(EvaluationError) {
            pattern = try TextPattern(String(decoding: bytes, as: UTF8.self), ignoresCase: ignoresCase)
        } catch {
            throw RulesFault("Invalid regular expression.", at: offset)
        }
        try self.advance(operandMayBegin: false)
        try self.take(")", operandMayBegin: false)
        return try self.nested(.matches(base.expression, pattern), .boolean, over: [base])
    }
}

extension RuleExpression.QueryMember {
    fileprivate var type: StaticType {
        switch self {
        case .orderByKey, .orderByPriority, .orderByValue: .boolean
        case .orderByChild: [.string, .null]
        case .startAt, .endAt, .equalTo: [.boolean, .number, .string, .null]
        case .limitToFirst, .limitToLast: [.number, .null]
        }
    }
}
