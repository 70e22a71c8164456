internal import BrasaDocuments

/// One word of a rules file.
struct Token {
    enum Kind: Hashable {
        case end
        /// Any word, reserved or not; which one is for the parser to ask.
        case word
        /// A magnitude: a sign before it is an operator.
        case integer(UInt64)
        case float(Double)
        case string(UTF8Text)
        case bytes([UInt8])
        /// A slash that begins a path, because a segment follows directly.
        case pathSlash
        case mark(Mark)
        /// What the lexer has complained of already.
        case invalid
    }

    enum Mark: String {
        case equal = "=="
        case notEqual = "!="
        case less = "<"
        case lessOrEqual = "<="
        case greater = ">"
        case greaterOrEqual = ">="
        case and = "&&"
        case or = "||"
        case not = "!"
        case plus = "+"
        case minus = "-"
        case star = "*"
        case slash = "/"
        case percent = "%"
        case question = "?"
        case colon = ":"
        case dot = "."
        case leftBracket = "["
        case rightBracket = "]"
        case leftParenthesis = "("
        case rightParenthesis = ")"
        case leftBrace = "{"
        case rightBrace = "}"
        case comma = ","
        case semicolon = ";"
        case assign = "="
        case increment = "++"
        case decrement = "--"
    }

    var kind: Kind
    var range: SourceRange
}

/// The words that no variable and no function may be called.
enum ReservedWord: String {
    case match, allow, `if`, `in`, `is`, `let`, `return`, function, service, `import`, `true`, `false`, null
    case rulesVersion = "rules_version"
    case `for`, `while`, `var`, `else`, package
    case dollar = "$"
}
