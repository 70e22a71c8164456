/// What stands behind the colon of a line: a scalar, plain or in quotes, and perhaps a comment.
struct YAMLScalar {
    private var rest: Substring.UnicodeScalarView
    private let line: Int

    /// Those with a meaning of their own at the beginning.
    private static let indicators: Set<Unicode.Scalar> = [
        ",", "[", "]", "{", "}", "#", "&", "*", "!", "|", ">", "%", "@", "`",
    ]
    /// Those that are one only with a blank behind.
    private static let indicatorsBeforeBlanks: Set<Unicode.Scalar> = ["-", "?", ":"]

    init(_ text: Substring.UnicodeScalarView, line: Int) {
        self.rest = text
        self.line = line
    }

    /// Nil when there is none.
    mutating func read() throws(YAMLMapping.Flaw) -> (text: String, isQuoted: Bool)? {
        let hasBlank = self.skipBlanks()
        guard let first = self.rest.first, !(first == "#" && hasBlank) else { return nil }
        switch first {
        case "'": return (try self.singleQuoted(), true)
        case "\"": return (try self.doubleQuoted(), true)
        default: return (try self.plain(first), false)
        }
    }

    private mutating func skipBlanks() -> Bool {
        let blanks = self.rest.prefix { YAMLMapping.isBlank($0) }
        self.rest = self.rest.dropFirst(blanks.count)
        return !blanks.isEmpty
    }

    private func flaw(_ text: String) -> YAMLMapping.Flaw { YAMLMapping.Flaw(self.line, text) }

    private mutating func plain(_ first: Unicode.Scalar) throws(YAMLMapping.Flaw) -> String {
        let second = self.rest.dropFirst().first
        let isIndicator =
            Self.indicators.contains(first)
            || Self.indicatorsBeforeBlanks.contains(first) && second.map { YAMLMapping.isBlank($0) } ?? true
        guard !isIndicator else { throw self.flaw("a value that begins with \(first) stands in quotes") }
        var text = String.UnicodeScalarView()
        var blanks = String.UnicodeScalarView()
        while let next = self.rest.popFirst() {
            if YAMLMapping.isBlank(next) {
                blanks.append(next)
                continue
            }
            if next == "#", !blanks.isEmpty { break }
            if next == ":", self.rest.first.map({ YAMLMapping.isBlank($0) }) ?? true {
                throw self.flaw("a value with a colon and a space behind it stands in quotes")
            }
            text += blanks
            text.append(next)
            blanks = String.UnicodeScalarView()
        }
        return String(text)
    }

    private mutating func singleQuoted() throws(YAMLMapping.Flaw) -> String {
        self.rest.removeFirst()
        var text = String.UnicodeScalarView()
        while let next = self.rest.popFirst() {
            if next != "'" {
                text.append(next)
            } else if self.rest.first == "'" {
                self.rest.removeFirst()
                text.append("'")
            } else {
                try self.end()
                return String(text)
            }
        }
        throw self.flaw("the quote does not end")
    }

    private mutating func doubleQuoted() throws(YAMLMapping.Flaw) -> String {
        self.rest.removeFirst()
        var text = String.UnicodeScalarView()
        while let next = self.rest.popFirst() {
            switch next {
            case "\"":
                try self.end()
                return String(text)
            case "\\": text.append(try self.escaped())
            default: text.append(next)
            }
        }
        throw self.flaw("the quote does not end")
    }

    private mutating func escaped() throws(YAMLMapping.Flaw) -> Unicode.Scalar {
        let digits: Int
        switch self.rest.popFirst() {
        case "\"": return "\""
        case "\\": return "\\"
        case "/": return "/"
        case "n": return "\n"
        case "r": return "\r"
        case "t": return "\t"
        case "x": digits = 2
        case "u": digits = 4
        case "U": digits = 8
        default: throw self.flaw("a backslash in quotes stands before one of \" \\ / n r t x u U")
        }
        let number = self.rest.prefix(digits)
        guard number.count == digits, number.allSatisfy(\.properties.isASCIIHexDigit),
            let value = UInt32(String(number), radix: 16),
            let scalar = Unicode.Scalar(value)
        else { throw self.flaw("an escaped character has \(digits) digits") }
        self.rest = self.rest.dropFirst(digits)
        return scalar
    }

    /// Behind a quote comes nothing but a comment.
    private mutating func end() throws(YAMLMapping.Flaw) {
        let hasBlank = self.skipBlanks()
        guard let next = self.rest.first else { return }
        guard next == "#", hasBlank else { throw self.flaw("something stands behind the quote") }
    }
}
