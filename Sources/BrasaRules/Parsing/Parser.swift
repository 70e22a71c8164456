/// What the parser throws to get back to where it can go on; the error itself has been told.
struct ParseFailure: Error {}

/// Reads a rules file by recursive descent. After an error it goes on at the next statement, so that one reading tells
/// of several errors; every loop reads at least one token a turn, and nesting has a bound.
struct Parser {
    var lexer: Lexer
    var diagnostics: DiagnosticList
    var token: Token
    /// The end of the token before.
    var previousEnd = 0
    var expressions = ExpressionTable()
    var nesting = 0
    /// Expressions that stand in parentheses.
    var parenthesised: Set<ExpressionID> = []
    /// Where the last error was told: of one place it is told once.
    private var lastError = -1

    static let expressionHeightMax = 99
    static let matchDepthMax = 10
    static let parametersMax = 7
    static let letsMax = 10

    init(_ source: SourceText) {
        self.lexer = Lexer(source.bytes)
        self.diagnostics = DiagnosticList(source)
        self.token = Token(kind: .end, range: SourceRange(0, 0))
        self.advance()
    }

    // MARK: Tokens

    mutating func advance() {
        self.previousEnd = self.token.range.end
        self.token = self.lexer.next(&self.diagnostics)
    }

    /// Reads the next token from somewhere else: behind a path segment.
    mutating func advance(from position: Int) {
        self.lexer.position = position
        self.token = self.lexer.next(&self.diagnostics)
        self.previousEnd = position
    }

    /// The text of the token if it is a word.
    var word: String? {
        if case .word = self.token.kind { self.lexer.text(self.token.range) } else { nil }
    }

    func isAt(_ word: ReservedWord) -> Bool { self.word == word.rawValue }
    func isAt(_ mark: Token.Mark) -> Bool { self.token.kind == .mark(mark) }

    mutating func skip(_ mark: Token.Mark) -> Bool {
        guard self.isAt(mark) else { return false }
        self.advance()
        return true
    }

    mutating func skip(_ word: ReservedWord) -> Bool {
        guard self.isAt(word) else { return false }
        self.advance()
        return true
    }

    mutating func expect(_ mark: Token.Mark) throws(ParseFailure) {
        guard !self.skip(mark) else { return }
        if case .end = self.token.kind {
            throw self.failure("missing '\(mark.rawValue)' at '<EOF>'")
        }
        throw self.failure("mismatched input '\(self.tokenText)' expecting '\(mark.rawValue)'")
    }

    /// A word that is not reserved.
    mutating func name() throws(ParseFailure) -> NameSyntax {
        guard let word = self.word, ReservedWord(rawValue: word) == nil else { throw self.unexpected() }
        let name = NameSyntax(text: word, range: self.token.range)
        self.advance()
        return name
    }

    // MARK: Errors

    /// The token as a message shows it.
    var tokenText: String {
        switch self.token.kind {
        case .end: return "<EOF>"
        default:
            let text = self.lexer.text(self.token.range)
            return text.unicodeScalars.count > 64 ? "\(text.prefix(64))…" : text
        }
    }

    mutating func failure(_ message: String, at range: SourceRange? = nil) -> ParseFailure {
        let range = range ?? self.token.range
        guard range.start != self.lastError, self.token.kind != .invalid else { return ParseFailure() }
        self.lastError = range.start
        self.diagnostics.error(message, at: range)
        return ParseFailure()
    }

    mutating func unexpected() -> ParseFailure {
        self.failure("Unexpected '\(self.tokenText)'.")
    }

    // MARK: Recovery

    /// Steps over what is left of a statement: behind its semicolon, or before the next declaration or the brace that
    /// closes the block around it. Blocks in between are stepped over whole. Of a statement that begins at `start` at
    /// least one token goes.
    mutating func recover(from start: Int) {
        self.lexer.isSilent = true
        defer { self.lexer.isSilent = false }
        if self.token.range.start == start {
            if self.isAt(.semicolon) || self.isAt(.rightBrace) {
                self.advance()
                return
            }
            self.advance()
        }
        var depth = 0
        while true {
            switch self.token.kind {
            case .end: return
            case .mark(.leftBrace): depth += 1
            case .mark(.rightBrace):
                if depth == 0 { return }
                depth -= 1
            case .mark(.semicolon) where depth == 0:
                self.advance()
                return
            case .word where depth == 0:
                switch self.word.flatMap(ReservedWord.init(rawValue:)) {
                case .match, .allow, .function, .service: return
                default: break
                }
            default: break
            }
            self.advance()
        }
    }

    /// Steps over a block whose opening brace was read, and over its closing one.
    mutating func skipBlock() {
        self.lexer.isSilent = true
        defer { self.lexer.isSilent = false }
        var depth = 1
        while depth > 0 {
            switch self.token.kind {
            case .end: return
            case .mark(.leftBrace): depth += 1
            case .mark(.rightBrace): depth -= 1
            default: break
            }
            self.advance()
        }
    }
}
