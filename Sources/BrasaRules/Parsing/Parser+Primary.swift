extension Parser {
    mutating func primary() throws(ParseFailure) -> ExpressionID {
        let start = self.token.range
        switch self.token.kind {
        case .integer(let magnitude):
            guard let integer = Int64(exactly: magnitude) else {
                throw self.failure("Invalid number literal \(magnitude).")
            }
            return try self.literal(.integer(integer))
        case .float(let float): return try self.literal(.float(float))
        case .string(let text): return try self.literal(.string(text))
        case .bytes(let bytes): return try self.literal(.bytes(bytes))
        case .word: return try self.wordExpression()
        case .pathSlash: return try self.path()
        case .mark(.slash):
            throw self.failure("Forward slash '/' found where identifier or binding expected.")
        case .mark(.leftParenthesis):
            self.advance()
            let inner = try self.expression()
            try self.expect(.rightParenthesis)
            self.parenthesised.insert(inner)
            return inner
        case .mark(.leftBracket):
            self.advance()
            let elements = try self.expressions(to: .rightBracket)
            return try self.add(.list(elements), from: start, height: self.height(elements))
        case .mark(.leftBrace): return try self.map()
        case .mark(.increment), .mark(.decrement):
            throw self.failure("Increment (++) and decrement (--) operators are not supported.")
        default: throw self.unexpected()
        }
    }

    private mutating func literal(_ kind: ExpressionSyntax.Kind) throws(ParseFailure) -> ExpressionID {
        let start = self.token.range
        self.advance()
        return try self.add(kind, from: start, height: 0)
    }

    private mutating func wordExpression() throws(ParseFailure) -> ExpressionID {
        let start = self.token.range
        switch self.word.flatMap(ReservedWord.init(rawValue:)) {
        case .true: return try self.literal(.boolean(true))
        case .false: return try self.literal(.boolean(false))
        case .null: return try self.literal(.null)
        case .some: throw self.unexpected()
        case nil: break
        }
        let name = try self.name()
        guard self.isAt(.leftParenthesis) else {
            if RulePackage(rawValue: name.text) != nil, !self.isAt(.dot) {
                throw self.failure(
                    "\(name.text) is a package and cannot be used as variable name.",
                    at: name.range
                )
            }
            return try self.add(.name(name.text), from: start, height: 0)
        }
        let arguments = try self.arguments()
        return try self.add(.call(name: name.text, arguments), from: start, height: self.height(arguments))
    }

    private mutating func map() throws(ParseFailure) -> ExpressionID {
        let start = self.token.range
        self.advance()
        var entries: [ExpressionID] = []
        while !self.isAt(.rightBrace) {
            entries.append(try self.expression())
            try self.expect(.colon)
            entries.append(try self.expression())
            if !self.skip(.comma) { break }
        }
        try self.expect(.rightBrace)
        return try self.add(.map(entries), from: start, height: self.height(entries))
    }
}
