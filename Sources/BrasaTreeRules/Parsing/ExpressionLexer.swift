import BrasaTree

enum ExpressionToken: Equatable {
    case name(String)
    /// `$name`
    case capture(String)
    case number(Double)
    case text([UInt8])
    case pattern([UInt8], ignoresCase: Bool)
    case mark(String)
    case end
}

/// Cuts an expression into tokens, one ahead. A slash where an operand may begin is a regular expression's.
struct ExpressionLexer {
    private let bytes: [UInt8]
    private(set) var index = 0
    /// Where the token at hand begins.
    private(set) var start = 0

    private static let marks = [
        "===", "!==", "==", "!=", "<=", ">=", "&&", "||", "<", ">", "+", "-", "*", "/", "%", "!", "(", ")", "[", "]",
        ",", ".", "?", ":",
    ].map { (text: $0, bytes: Array($0.utf8)) }

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Faults count from the expression's beginning.
    mutating func next(operandMayBegin: Bool) throws(RulesFault) -> ExpressionToken {
        try self.skipBlanks(operandMayBegin: operandMayBegin)
        self.start = self.index
        guard self.index < self.bytes.count else { return .end }
        let byte = self.bytes[self.index]
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "'"): return .text(try self.text(byte))
        case UInt8(ascii: "0")...UInt8(ascii: "9"): return try self.number()
        case UInt8(ascii: "/") where operandMayBegin: return try self.pattern()
        case UInt8(ascii: "$"):
            self.index += 1
            return .capture("$" + self.word())
        case _ where Self.isOfWord(byte): return .name(self.word())
        default: break
        }
        let rest = self.bytes[self.index...]
        guard let mark = Self.marks.first(where: { rest.starts(with: $0.bytes) }) else {
            throw RulesFault("Unexpected character.", at: self.index)
        }
        self.index += mark.bytes.count
        return .mark(mark.text)
    }

    private mutating func skipBlanks(operandMayBegin: Bool) throws(RulesFault) {
        while self.index < self.bytes.count {
            switch self.bytes[self.index] {
            case 0x20, 0x09, 0x0A, 0x0D: self.index += 1
            case UInt8(ascii: "/"):
                let next = self.index + 1 < self.bytes.count ? self.bytes[self.index + 1] : 0
                guard next == UInt8(ascii: "/") || next == UInt8(ascii: "*") else { return }
                self.index = try BlankScanner.endOfComment(self.bytes, self.index)
            default: return
            }
        }
    }

    private static func isOfWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: byte >= 0x80
        }
    }

    private mutating func word() -> String {
        let word = self.bytes[self.index...].prefix(while: Self.isOfWord)
        self.index += word.count
        return String(decoding: word, as: UTF8.self)
    }

    private mutating func number() throws(RulesFault) -> ExpressionToken {
        var isAfterExponent = false
        let text = self.bytes[self.index...].prefix { byte in
            defer { isAfterExponent = byte | 0x20 == UInt8(ascii: "e") }
            return Self.isOfWord(byte) || byte == UInt8(ascii: ".")
                || isAfterExponent && (byte == UInt8(ascii: "-") || byte == UInt8(ascii: "+"))
        }
        guard let value = Double(String(decoding: text, as: UTF8.self)), value.isFinite else {
            throw RulesFault("Invalid number.", at: self.index)
        }
        self.index += text.count
        return .number(value)
    }

    private mutating func text(_ quote: UInt8) throws(RulesFault) -> [UInt8] {
        var text: [UInt8] = []
        self.index += 1
        while self.index < self.bytes.count {
            let byte = self.bytes[self.index]
            self.index += 1
            if byte == quote { return text }
            guard byte == UInt8(ascii: "\\"), self.index < self.bytes.count else {
                text.append(byte)
                continue
            }
            let escaped = self.bytes[self.index]
            self.index += 1
            switch escaped {
            case UInt8(ascii: "n"): text.append(0x0A)
            case UInt8(ascii: "r"): text.append(0x0D)
            case UInt8(ascii: "t"): text.append(0x09)
            default: text.append(escaped)
            }
        }
        throw RulesFault("A string does not end.", at: self.start)
    }

    private mutating func pattern() throws(RulesFault) -> ExpressionToken {
        var pattern: [UInt8] = []
        var isInClass = false
        self.index += 1
        while self.index < self.bytes.count {
            let byte = self.bytes[self.index]
            self.index += 1
            switch byte {
            case UInt8(ascii: "/") where !isInClass:
                let flags = self.word()
                guard flags.isEmpty || flags == "i" else {
                    throw RulesFault("The only flag of a regular expression is i.", at: self.start)
                }
                return .pattern(pattern, ignoresCase: flags == "i")
            case UInt8(ascii: "\\") where self.index < self.bytes.count:
                pattern += [byte, self.bytes[self.index]]
                self.index += 1
                continue
            case UInt8(ascii: "["): isInClass = true
            case UInt8(ascii: "]"): isInClass = false
            default: break
            }
            pattern.append(byte)
        }
        throw RulesFault("A regular expression does not end.", at: self.start)
    }
}
