internal import BrasaDocuments

extension Parser {
    /// Reads the whole file.
    mutating func ruleset() -> RulesetSyntax {
        var ruleset = RulesetSyntax()
        guard self.lexer.bytes.count <= Ruleset.sourceBytesMax else {
            let message = "Maximum allowed ruleset size of \(Ruleset.sourceBytesMax) bytes is reached."
            self.diagnostics.error(message, at: SourceRange(0, 1))
            return ruleset
        }
        do throws(ParseFailure) { try self.version(&ruleset) } catch { self.recover(from: -1) }
        while !self.diagnostics.isFull {
            if case .end = self.token.kind { break }
            let start = self.token.range.start
            do throws(ParseFailure) { try self.topLevelItem(&ruleset) } catch { self.recover(from: start) }
            // A brace too many.
            if self.isAt(.rightBrace) {
                _ = self.unexpected()
                self.advance()
            }
        }
        if ruleset.services.isEmpty, ruleset.functions.isEmpty, !self.diagnostics.hasErrors {
            self.diagnostics.error("Rules content empty. Compilation aborted.", at: SourceRange(0, 1))
        }
        ruleset.expressions = self.expressions
        return ruleset
    }

    private mutating func version(_ ruleset: inout RulesetSyntax) throws(ParseFailure) {
        guard self.isAt(.rulesVersion) else { return }
        self.advance()
        try self.expect(.assign)
        guard case .string(let version) = self.token.kind else { throw self.unexpected() }
        ruleset.versionRange = self.token.range
        switch version.string {
        case "1": ruleset.version = 1
        case "2": ruleset.version = 2
        case let other: self.diagnostics.error("Unsupported rules version \(other).", at: self.token.range)
        }
        self.advance()
        _ = self.skip(.semicolon)
    }

    private mutating func topLevelItem(_ ruleset: inout RulesetSyntax) throws(ParseFailure) {
        if self.isAt(.function) {
            ruleset.functions.append(try self.function())
        } else if self.isAt(.service) {
            ruleset.services.append(try self.service())
        } else if self.isAt(.import) {
            _ = self.failure("Import statements are not allowed.")
            throw ParseFailure()
        } else {
            throw self.unexpected()
        }
    }

    private mutating func service() throws(ParseFailure) -> ServiceSyntax {
        self.advance()
        let start = self.token.range
        var name = try self.name()
        while self.skip(.dot) {
            guard let word = self.word else { throw self.unexpected() }
            name.text += ".\(word)"
            self.advance()
        }
        name.range = SourceRange(start.start, self.previousEnd)
        var service = ServiceSyntax(name: name)
        try self.expect(.leftBrace)
        if self.isAt(.rightBrace) {
            _ = self.failure("The 'service' body must contain at least one declaration.")
        }
        try self.items { (parser) throws(ParseFailure) in
            if parser.isAt(.function) {
                service.functions.append(try parser.function())
            } else if let match = try parser.matchBlock(depth: 1) {
                service.matches.append(match)
            }
        }
        return service
    }

    /// Reads items up to the closing brace, and the brace.
    private mutating func items(
        _ item: (inout Parser) throws(ParseFailure) -> Void
    ) throws(ParseFailure) {
        while !self.isAt(.rightBrace), !self.diagnostics.isFull {
            if case .end = self.token.kind { break }
            let start = self.token.range.start
            do throws(ParseFailure) { try item(&self) } catch { self.recover(from: start) }
        }
        try self.expect(.rightBrace)
    }

    /// Nil when the block lies too deep; it is stepped over then.
    private mutating func matchBlock(depth: Int) throws(ParseFailure) -> MatchSyntax? {
        if case .pathSlash = self.token.kind { throw self.failure("Missing 'match' keyword before path.") }
        let start = self.token.range
        guard self.skip(.match) else { throw self.unexpected() }
        let pattern = try self.pattern()
        let range = SourceRange(start.start, self.previousEnd)
        try self.expect(.leftBrace)
        guard depth <= Self.matchDepthMax else {
            self.diagnostics.error(
                "Maximum allowed resource rule depth of \(Self.matchDepthMax) is reached.",
                at: range
            )
            self.skipBlock()
            return nil
        }
        var match = MatchSyntax(pattern: pattern, patternRange: range)
        if self.isAt(.rightBrace) {
            _ = self.failure("The 'match' body must contain at least one declaration.")
        }
        try self.items { (parser) throws(ParseFailure) in
            if parser.isAt(.function) {
                match.functions.append(try parser.function())
            } else if parser.isAt(.allow) {
                match.statements.append(try parser.allow())
            } else if let inner = try parser.matchBlock(depth: depth + 1) {
                match.matches.append(inner)
            }
        }
        return match
    }

    private mutating func allow() throws(ParseFailure) -> AllowSyntax {
        let start = self.token.range
        self.advance()
        var methods: MethodSet = []
        repeat {
            guard let word = self.word, ReservedWord(rawValue: word) == nil else {
                throw self.failure("Expected at least one 'operation' after 'allow'.")
            }
            if let method = MethodSet(word: word) {
                methods.formUnion(method)
            } else {
                self.diagnostics.warn("Invalid method name: \(word).", at: self.token.range)
            }
            self.advance()
        } while self.skip(.comma)
        if self.isAt(.if) { throw self.failure("Missing ':' before 'if' condition.") }
        var condition: ExpressionID?
        if self.skip(.colon) {
            guard self.skip(.if) else { throw self.failure("Missing 'if' before conditional expression.") }
            if self.isAt(.semicolon) || self.isAt(.rightBrace) {
                throw self.failure("Missing conditional expression after 'if'.")
            }
            condition = try self.expression()
        }
        let range = SourceRange(start.start, self.previousEnd)
        try self.endStatement()
        return AllowSyntax(methods: methods, condition: condition, range: range)
    }

    /// The semicolon may be left out.
    private mutating func endStatement() throws(ParseFailure) {
        if self.skip(.semicolon) || self.isAt(.rightBrace) { return }
        switch self.word.flatMap(ReservedWord.init(rawValue:)) {
        case .allow, .match, .function: return
        default:
            if case .end = self.token.kind { return }
            throw self.unexpected()
        }
    }

    private mutating func function() throws(ParseFailure) -> FunctionSyntax {
        self.advance()
        let name = try self.name()
        let parameters = try self.parameters(of: name)
        try self.expect(.leftBrace)
        if self.isAt(.rightBrace) {
            let failure = self.failure("Missing 'function' body")
            self.advance()
            throw failure
        }
        do throws(ParseFailure) {
            let lets = try self.lets()
            guard self.skip(.return) else { throw self.unexpected() }
            let result = try self.expression()
            _ = self.skip(.semicolon)
            try self.expect(.rightBrace)
            return FunctionSyntax(name: name, parameters: parameters, lets: lets, result: result)
        } catch {
            self.skipBlock()
            throw error
        }
    }

    private mutating func parameters(of function: NameSyntax) throws(ParseFailure) -> [NameSyntax] {
        try self.expect(.leftParenthesis)
        var parameters: [NameSyntax] = []
        if !self.isAt(.rightParenthesis) {
            repeat { parameters.append(try self.name()) } while self.skip(.comma)
        }
        try self.expect(.rightParenthesis)
        if parameters.count > Self.parametersMax {
            self.diagnostics.error(
                "Maximum allowed function arguments of \(Self.parametersMax) for function \(function.text) is reached.",
                at: function.range
            )
        }
        return parameters
    }

    private mutating func lets() throws(ParseFailure) -> [FunctionSyntax.Binding] {
        var lets: [FunctionSyntax.Binding] = []
        while self.skip(.let) {
            let name = try self.name()
            try self.expect(.assign)
            let value = try self.expression()
            try self.expect(.semicolon)
            lets.append(FunctionSyntax.Binding(name: name, value: value))
            if lets.count == Self.letsMax + 1 {
                self.diagnostics.error(
                    "Maximum allowed variable count of \(Self.letsMax) for a given function has been reached.",
                    at: name.range
                )
            }
        }
        return lets
    }
}
