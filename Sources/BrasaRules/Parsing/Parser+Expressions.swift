extension Parser {
    /// Adds an expression over operands that are at most `height` high.
    mutating func add(
        _ kind: ExpressionSyntax.Kind,
        from start: SourceRange,
        height: Int
    ) throws(ParseFailure) -> ExpressionID {
        let range = SourceRange(start.start, max(start.end, self.previousEnd))
        guard height < Self.expressionHeightMax else { throw self.tooComplex(at: range) }
        return self.expressions.add(kind, range, height: height + 1)
    }

    func height(_ operands: ExpressionID...) -> Int { self.height(operands) }

    func height(_ operands: [ExpressionID]) -> Int {
        operands.reduce(0) { max($0, self.expressions[$1].height) }
    }

    private mutating func tooComplex(at range: SourceRange) -> ParseFailure {
        self.failure("Expression is too complex to evaluate safely.", at: range)
    }

    mutating func expression() throws(ParseFailure) -> ExpressionID {
        guard self.nesting < Self.expressionHeightMax else { throw self.tooComplex(at: self.token.range) }
        self.nesting += 1
        defer { self.nesting -= 1 }
        let start = self.token.range
        let condition = try self.binary(atLeast: 1)
        guard self.skip(.question) else { return condition }
        let yes = try self.expression()
        try self.expect(.colon)
        let no = try self.expression()
        return try self.add(.conditional(condition, yes, no), from: start, height: self.height(condition, yes, no))
    }

    /// Operators of this precedence and above, all of them left-associative.
    private mutating func binary(atLeast precedence: Int) throws(ParseFailure) -> ExpressionID {
        let start = self.token.range
        var left = try self.unary()
        while true {
            if self.isAt(.is), BinaryOperator.isPrecedence >= precedence {
                self.warnBesideEquality(left)
                self.advance()
                let type = try self.typeName()
                left = try self.add(.isType(left, type), from: start, height: self.height(left))
            } else if let known = self.binaryOperator, known.precedence >= precedence {
                if known == .in { self.warnBesideEquality(left) }
                self.advance()
                let right = try self.binary(atLeast: known.precedence + 1)
                if known == .in { self.warnBesideEquality(right) }
                left = try self.add(.binary(known, left, right), from: start, height: self.height(left, right))
            } else {
                return left
            }
        }
    }

    private var binaryOperator: BinaryOperator? {
        switch self.token.kind {
        case .mark(let mark): BinaryOperator(mark)
        case .word: self.isAt(.in) ? .in : nil
        default: nil
        }
    }

    /// The language's description and its tools do not agree on what `a == b in c` means.
    private mutating func warnBesideEquality(_ operand: ExpressionID) {
        let syntax = self.expressions[operand]
        guard case .binary(let known, _, _) = syntax.kind, known == .equal || known == .notEqual,
            !self.parenthesised.contains(operand)
        else { return }
        self.diagnostics.warn(
            "The operator '\(known.rawValue)' binds tighter than 'in' and 'is'. Use parentheses to say what is meant.",
            at: syntax.range
        )
    }

    private mutating func typeName() throws(ParseFailure) -> TypeName {
        guard let word = self.word else { throw self.unexpected() }
        guard let type = TypeName(rawValue: word), type != .null else {
            let names = TypeName.named.map(\.rawValue).joined(separator: ",")
            throw self.failure(
                "An unsupported type identifier was used with the 'is' operator. Received \(word). "
                    + "Expected one of \(names)"
            )
        }
        self.advance()
        return type
    }

    private mutating func unary() throws(ParseFailure) -> ExpressionID {
        switch self.token.kind {
        case .mark(.increment), .mark(.decrement): throw self.incrementFailure()
        case .mark(.not):
            var marks: [SourceRange] = []
            while self.isAt(.not) {
                marks.append(self.token.range)
                self.advance()
            }
            var operand = try self.isAt(.minus) ? self.negation() : self.postfix()
            for mark in marks.reversed() {
                operand = try self.add(.not(operand), from: mark, height: self.height(operand))
            }
            return operand
        case .mark(.minus): return try self.negation()
        default:
            let operand = try self.postfix()
            if self.isAt(.increment) || self.isAt(.decrement) { throw self.incrementFailure() }
            return operand
        }
    }

    private mutating func incrementFailure() -> ParseFailure {
        self.failure("Increment (++) and decrement (--) operators are not supported.")
    }

    private mutating func negation() throws(ParseFailure) -> ExpressionID {
        let start = self.token.range
        self.advance()
        if case .integer(let magnitude) = self.token.kind, magnitude == 1 << 63 {
            self.advance()
            return try self.add(.integer(.min), from: start, height: 0)
        }
        let operand = try self.postfix()
        return try self.add(.negate(operand), from: start, height: self.height(operand))
    }

    private mutating func postfix() throws(ParseFailure) -> ExpressionID {
        let start = self.token.range
        var value = try self.primary()
        while true {
            if self.skip(.dot) {
                value = try self.memberOrMethod(of: value, from: start)
            } else if self.skip(.leftBracket) {
                value = try self.indexOrSlice(of: value, from: start)
            } else {
                return value
            }
        }
    }

    private mutating func memberOrMethod(of value: ExpressionID, from start: SourceRange) throws(ParseFailure)
        -> ExpressionID
    {
        guard let name = self.word else { throw self.unexpected() }
        let reserved = ReservedWord(rawValue: name)
        switch reserved {
        case .service, .rulesVersion, .dollar: throw self.unexpected()
        default: self.advance()
        }
        if reserved != nil, self.isAt(.leftParenthesis) { throw self.unexpected() }
        guard self.isAt(.leftParenthesis) else {
            return try self.add(.member(value, name: name), from: start, height: self.height(value))
        }
        let arguments = try self.arguments()
        let height = max(self.height(value), self.height(arguments))
        if case .name(let package) = self.expressions[value].kind, RulePackage(rawValue: package) != nil {
            return try self.add(
                .packageCall(package: package, name: name, arguments),
                from: start,
                height: self.height(arguments)
            )
        }
        return try self.add(.method(value, name: name, arguments), from: start, height: height)
    }

    private mutating func indexOrSlice(of value: ExpressionID, from start: SourceRange) throws(ParseFailure)
        -> ExpressionID
    {
        let from = self.isAt(.colon) ? nil : try self.expression()
        guard self.skip(.colon) else {
            try self.expect(.rightBracket)
            guard let from else { throw self.unexpected() }
            return try self.add(.index(value, from), from: start, height: self.height(value, from))
        }
        let to = self.isAt(.rightBracket) ? nil : try self.expression()
        try self.expect(.rightBracket)
        let height = self.height([value] + [from, to].compactMap { $0 })
        return try self.add(.slice(value, from: from, to: to), from: start, height: height)
    }

    mutating func arguments() throws(ParseFailure) -> [ExpressionID] {
        try self.expect(.leftParenthesis)
        return try self.expressions(to: .rightParenthesis)
    }

    /// Expressions between commas, the last of which may have one behind it, and the mark that closes them.
    mutating func expressions(to close: Token.Mark) throws(ParseFailure) -> [ExpressionID] {
        var list: [ExpressionID] = []
        while !self.isAt(close) {
            list.append(try self.expression())
            if !self.skip(.comma) { break }
        }
        try self.expect(close)
        return list
    }
}
