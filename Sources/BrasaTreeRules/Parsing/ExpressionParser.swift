import BrasaRules
import BrasaTree

/// An expression with what is known of it.
struct TypedExpression {
    var expression: RuleExpression
    var type: StaticType
    /// Where it begins, in the expression's text.
    var offset: Int
    /// Expressions inside one another.
    var depth = 1
}

/// Reads an expression and checks its types, so that what is left to go wrong depends on data.
struct ExpressionParser {
    private var lexer: ExpressionLexer
    private(set) var token = ExpressionToken.end
    /// Names of the wildcards above the rule, from the root.
    let captures: [String]
    let hasNewData: Bool
    private var nesting = 0

    /// Expressions inside one another. Evaluation recurses as deep; operands of one chain of `&&` or `||` count as one.
    static let depthMax = 200

    init(_ text: [UInt8], captures: [String], hasNewData: Bool) {
        self.lexer = ExpressionLexer(text)
        self.captures = captures
        self.hasNewData = hasNewData
    }

    /// The whole text as a condition.
    mutating func condition() throws(RulesFault) -> RuleExpression {
        try self.advance(operandMayBegin: true)
        let condition = try self.conditional()
        guard self.token == .end else { throw self.unexpected() }
        try self.require(condition, .boolean, "A rule must be a boolean")
        return condition.expression
    }

    var start: Int { self.lexer.start }

    mutating func advance(operandMayBegin: Bool) throws(RulesFault) {
        self.token = try self.lexer.next(operandMayBegin: operandMayBegin)
    }

    func unexpected() -> RulesFault {
        switch self.token {
        case .end: RulesFault("Unexpected end of the expression.", at: self.start)
        case .mark(let mark): RulesFault("Unexpected '\(mark)'.", at: self.start)
        case .name(let name), .capture(let name): RulesFault("Unexpected '\(name)'.", at: self.start)
        case .number, .text, .pattern: RulesFault("Unexpected literal.", at: self.start)
        }
    }

    func isAt(_ marks: String...) -> String? {
        guard case .mark(let mark) = self.token, marks.contains(mark) else { return nil }
        return mark
    }

    mutating func take(_ mark: String, operandMayBegin: Bool) throws(RulesFault) {
        guard self.token == .mark(mark) else { throw self.unexpected() }
        try self.advance(operandMayBegin: operandMayBegin)
    }

    func require(_ operand: TypedExpression, _ types: StaticType, _ what: String) throws(RulesFault) {
        guard operand.type.isDisjoint(with: types) else { return }
        throw RulesFault("\(what), not \(operand.type.name).", at: operand.offset)
    }

    private func nested(
        _ expression: RuleExpression,
        _ type: StaticType,
        _ parts: TypedExpression...
    ) throws(RulesFault) -> TypedExpression {
        try self.nested(expression, type, over: parts)
    }

    func nested(
        _ expression: RuleExpression,
        _ type: StaticType,
        over parts: [TypedExpression]
    ) throws(RulesFault) -> TypedExpression {
        let depth = parts.reduce(0) { max($0, $1.depth) } + 1
        let offset = parts.first?.offset ?? self.start
        guard depth <= Self.depthMax else { throw RulesFault("The expression is nested too deeply.", at: offset) }
        return TypedExpression(expression: expression, type: type, offset: offset, depth: depth)
    }

    mutating func conditional() throws(RulesFault) -> TypedExpression {
        guard self.nesting < Self.depthMax else {
            throw RulesFault("The expression is nested too deeply.", at: self.start)
        }
        self.nesting += 1
        defer { self.nesting -= 1 }
        let condition = try self.disjunction()
        guard self.isAt("?") != nil else { return condition }
        try self.require(condition, .boolean, "The condition of ?: must be a boolean")
        try self.advance(operandMayBegin: true)
        let yes = try self.conditional()
        try self.take(":", operandMayBegin: true)
        let no = try self.conditional()
        let expression = RuleExpression.conditional(condition.expression, yes.expression, no.expression)
        return try self.nested(expression, yes.type.union(no.type), condition, yes, no)
    }

    private mutating func disjunction() throws(RulesFault) -> TypedExpression {
        var operands = [try self.conjunction()]
        while self.isAt("||") != nil {
            try self.advance(operandMayBegin: true)
            operands.append(try self.conjunction())
        }
        return try self.logical(operands, "||") { .any($0) }
    }

    private mutating func conjunction() throws(RulesFault) -> TypedExpression {
        var operands = [try self.equality()]
        while self.isAt("&&") != nil {
            try self.advance(operandMayBegin: true)
            operands.append(try self.equality())
        }
        return try self.logical(operands, "&&") { .all($0) }
    }

    private func logical(
        _ operands: [TypedExpression],
        _ name: String,
        _ make: ([RuleExpression]) -> RuleExpression
    ) throws(RulesFault) -> TypedExpression {
        guard operands.count > 1 else { return operands[0] }
        for operand in operands { try self.require(operand, .boolean, "An operand of \(name) must be a boolean") }
        return try self.nested(make(operands.map(\.expression)), .boolean, over: operands)
    }

    private mutating func equality() throws(RulesFault) -> TypedExpression {
        var left = try self.relation()
        while let mark = self.isAt("==", "===", "!=", "!==") {
            try self.advance(operandMayBegin: true)
            let right = try self.relation()
            for operand in [left, right] {
                try self.require(operand, .unknown, "Operands of \(mark) must be values")
            }
            let isNegated = mark.hasPrefix("!")
            left = try self.nested(
                .equal(left.expression, right.expression, isNegated: isNegated),
                .boolean,
                left,
                right
            )
        }
        return left
    }

    private static let comparisons: [String: RuleExpression.Comparison] = [
        "<": .less, "<=": .lessOrEqual, ">": .greater, ">=": .greaterOrEqual,
    ]

    private mutating func relation() throws(RulesFault) -> TypedExpression {
        var left = try self.sum()
        while let mark = self.isAt("<", "<=", ">", ">="), let comparison = Self.comparisons[mark] {
            try self.advance(operandMayBegin: true)
            let right = try self.sum()
            for operand in [left, right] {
                try self.require(operand, [.number, .string], "Operands of \(mark) must be numbers or strings")
            }
            let common = left.type.intersection(right.type)
            guard !common.isDisjoint(with: [.number, .string]) else {
                throw RulesFault("Operands of \(mark) must both be numbers or both strings.", at: left.offset)
            }
            left = try self.nested(.compare(left.expression, comparison, right.expression), .boolean, left, right)
        }
        return left
    }

    private mutating func sum() throws(RulesFault) -> TypedExpression {
        var left = try self.product()
        while let mark = self.isAt("+", "-") {
            try self.advance(operandMayBegin: true)
            let right = try self.product()
            if mark == "-" {
                left = try self.arithmetic(left, .subtract, mark, right)
                continue
            }
            for operand in [left, right] {
                try self.require(
                    operand,
                    [.number, .string, .boolean, .null],
                    "Operands of + must be numbers or strings"
                )
            }
            let type: StaticType
            if left.type == .number, right.type == .number {
                type = .number
            } else if left.type == .string || right.type == .string {
                type = .string
            } else {
                type = [.number, .string]
            }
            left = try self.nested(.add(left.expression, right.expression), type, left, right)
        }
        return left
    }

    private mutating func product() throws(RulesFault) -> TypedExpression {
        let operations: [String: RuleExpression.Arithmetic] = ["*": .multiply, "/": .divide, "%": .remainder]
        var left = try self.unary()
        while let mark = self.isAt("*", "/", "%"), let operation = operations[mark] {
            try self.advance(operandMayBegin: true)
            left = try self.arithmetic(left, operation, mark, try self.unary())
        }
        return left
    }

    private func arithmetic(
        _ left: TypedExpression,
        _ operation: RuleExpression.Arithmetic,
        _ mark: String,
        _ right: TypedExpression
    ) throws(RulesFault) -> TypedExpression {
        for operand in [left, right] {
            try self.require(operand, .number, "Operands of \(mark) must be numbers")
        }
        return try self.nested(.arithmetic(left.expression, operation, right.expression), .number, left, right)
    }

    private mutating func unary() throws(RulesFault) -> TypedExpression {
        guard let mark = self.isAt("!", "-") else { return try self.postfix() }
        guard self.nesting < Self.depthMax else {
            throw RulesFault("The expression is nested too deeply.", at: self.start)
        }
        self.nesting += 1
        defer { self.nesting -= 1 }
        try self.advance(operandMayBegin: true)
        let operand = try self.unary()
        if mark == "!" {
            try self.require(operand, .boolean, "The operand of ! must be a boolean")
            return try self.nested(.not(operand.expression), .boolean, operand)
        }
        try self.require(operand, .number, "The operand of - must be a number")
        return try self.nested(.negate(operand.expression), .number, operand)
    }
}
