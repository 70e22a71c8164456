internal import BrasaDocuments

/// Cuts a rules file into tokens, on demand: what a quote or a star means depends on whether a path is being read.
struct Lexer {
    let bytes: [UInt8]
    var position = 0
    /// While the parser steps over what it did not understand, nothing more is said about it.
    var isSilent = false
    /// No comment ends from here on.
    private var isBehindComments = false

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    func byte(at index: Int) -> UInt8? { index < self.bytes.count ? self.bytes[index] : nil }

    mutating func next(_ diagnostics: inout DiagnosticList) -> Token {
        self.skipBlanks()
        let start = self.position
        guard let byte = self.byte(at: start) else { return Token(kind: .end, range: SourceRange(start, start)) }
        switch byte {
        case UInt8(ascii: "b"), UInt8(ascii: "B"):
            if let quote = self.byte(at: start + 1), Self.isQuote(quote) { return self.bytesLiteral(&diagnostics) }
            return self.word()
        case UInt8(ascii: "0")...UInt8(ascii: "9"): return self.number(&diagnostics)
        case _ where Self.isWordStart(byte): return self.word()
        case _ where Self.isQuote(byte): return self.stringLiteral(&diagnostics)
        case UInt8(ascii: "."):
            if let digit = self.byte(at: start + 1), Self.isDigit(digit) { return self.number(&diagnostics) }
            return self.mark(.dot, 1)
        case UInt8(ascii: "/"):
            if let next = self.byte(at: start + 1), Self.beginsSegment(next) {
                self.position += 1
                return Token(kind: .pathSlash, range: SourceRange(start, start + 1))
            }
            return self.mark(.slash, 1)
        default: return self.markOrInvalid(&diagnostics)
        }
    }

    private mutating func markOrInvalid(_ diagnostics: inout DiagnosticList) -> Token {
        let start = self.position
        let end = min(start + 2, self.bytes.count)
        let two = String(decoding: self.bytes[start..<end], as: UTF8.self)
        if end == start + 2, let mark = Token.Mark(rawValue: two) { return self.mark(mark, 2) }
        if let mark = Token.Mark(rawValue: String(decoding: self.bytes[start..<(start + 1)], as: UTF8.self)) {
            return self.mark(mark, 1)
        }
        var index = start + 1
        while let byte = self.byte(at: index), byte & 0xC0 == 0x80 { index += 1 }
        self.position = index
        let range = SourceRange(start, index)
        self.error("token recognition error at: '\(self.text(range))'", at: range, &diagnostics)
        return Token(kind: .invalid, range: range)
    }

    func text(_ range: SourceRange) -> String {
        String(decoding: self.bytes[range.start..<min(range.end, self.bytes.count)], as: UTF8.self)
    }

    mutating func error(_ message: String, at range: SourceRange, _ diagnostics: inout DiagnosticList) {
        if !self.isSilent { diagnostics.error(message, at: range) }
    }

    private mutating func mark(_ mark: Token.Mark, _ length: Int) -> Token {
        let start = self.position
        self.position += length
        return Token(kind: .mark(mark), range: SourceRange(start, self.position))
    }

    private mutating func word() -> Token {
        let start = self.position
        while let byte = self.byte(at: self.position), Self.isWordStart(byte) || Self.isDigit(byte) {
            self.position += 1
        }
        return Token(kind: .word, range: SourceRange(start, self.position))
    }

    private mutating func skipBlanks() {
        while let byte = self.byte(at: self.position) {
            switch byte {
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"), UInt8(ascii: "\n"): self.position += 1
            case UInt8(ascii: "/"):
                guard let next = self.byte(at: self.position + 1) else { return }
                if next == UInt8(ascii: "/") {
                    self.skipLine()
                } else if next == UInt8(ascii: "*"), self.skipComment() {
                    continue
                } else {
                    return
                }
            default: return
            }
        }
    }

    private mutating func skipLine() {
        while let byte = self.byte(at: self.position), byte != UInt8(ascii: "\n") { self.position += 1 }
    }

    /// False when the comment has no end: then it is none, and may be a path's segment.
    private mutating func skipComment() -> Bool {
        var index = self.position + 2
        while !self.isBehindComments, let byte = self.byte(at: index) {
            index += 1
            if byte == UInt8(ascii: "*"), self.byte(at: index) == UInt8(ascii: "/") {
                self.position = index + 1
                return true
            }
        }
        self.isBehindComments = true
        return false
    }

    static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
    static func isQuote(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "'") || byte == UInt8(ascii: "\"") }

    static func isWordStart(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "_"),
            UInt8(ascii: "$"):
            true
        default: false
        }
    }
}
