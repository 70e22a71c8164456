import BrasaBytes
import BrasaTree

/// The JSON of a rules text: comments are allowed, and line breaks in strings. Only what rules are made of is told apart.
indirect enum RulesSource {
    case object([Member])
    case array([Element])
    case string(RulesString)
    case boolean(Bool)
    case other

    struct Element {
        let offset: Int
        let value: RulesSource
    }

    struct Member {
        let key: String
        let keyOffset: Int
        let value: Element
    }
}

/// A string, and where in the text each of its bytes stands.
struct RulesString {
    var bytes: [UInt8] = []
    var offsets: [Int] = []
    /// Behind the last byte.
    var end = 0

    func offset(at index: Int) -> Int { index < self.offsets.count ? self.offsets[index] : self.end }

    var text: String { String(decoding: self.bytes, as: UTF8.self) }
}

struct RulesSourceReader {
    private let text: [UInt8]
    private var index = 0
    private var depth = 0

    /// Objects and arrays inside one another: as deep as a tree, and a few more.
    private static let depthMax = TreeLimits.levelsMax + 8

    static func read(_ text: [UInt8]) throws(RulesFault) -> RulesSource.Element {
        guard text.withUnsafeBytes(UTF8Validation.isValid) else { throw RulesFault("The text is not UTF-8.", at: 0) }
        var reader = RulesSourceReader(text: text)
        let value = try reader.value()
        try reader.skipBlanks()
        guard reader.index == text.count else { throw reader.unexpected() }
        return value
    }

    private init(text: [UInt8]) {
        self.text = text
    }

    private var current: UInt8? { self.index < self.text.count ? self.text[self.index] : nil }

    private func unexpected() -> RulesFault {
        guard let byte = self.current else { return RulesFault("Parse error: the text ends early.", at: self.index) }
        let shown = byte < 0x80 ? "'\(Character(Unicode.Scalar(byte)))'" : "character"
        return RulesFault("Parse error: unexpected \(shown).", at: self.index)
    }

    private mutating func skipBlanks() throws(RulesFault) {
        while let byte = self.current {
            switch byte {
            case 0x20, 0x09, 0x0A, 0x0D: self.index += 1
            case UInt8(ascii: "/"): self.index = try BlankScanner.endOfComment(self.text, self.index)
            default: return
            }
        }
    }

    private mutating func take(_ byte: Unicode.Scalar) throws(RulesFault) {
        try self.skipBlanks()
        guard self.current == UInt8(ascii: byte) else { throw self.unexpected() }
        self.index += 1
    }

    private mutating func value() throws(RulesFault) -> RulesSource.Element {
        try self.skipBlanks()
        let start = self.index
        let value: RulesSource
        switch self.current {
        case UInt8(ascii: "{"): value = try self.object()
        case UInt8(ascii: "["): value = try self.array()
        case UInt8(ascii: "\""): value = .string(try self.string())
        case UInt8(ascii: "t") where self.word("true"): value = .boolean(true)
        case UInt8(ascii: "f") where self.word("false"): value = .boolean(false)
        case UInt8(ascii: "n") where self.word("null"): value = .other
        case UInt8(ascii: "-")?, (UInt8(ascii: "0")...UInt8(ascii: "9"))?:
            self.index += 1
            while let byte = self.current, byte > 0x2A, byte != UInt8(ascii: ","), byte < 0x5B { self.index += 1 }
            value = .other
        default: throw self.unexpected()
        }
        return RulesSource.Element(offset: start, value: value)
    }

    private mutating func word(_ word: String) -> Bool {
        guard self.text[self.index...].starts(with: word.utf8) else { return false }
        self.index += word.utf8.count
        return true
    }

    private mutating func enter() throws(RulesFault) {
        guard self.depth < Self.depthMax else { throw RulesFault("Parse error: nested too deeply.", at: self.index) }
        self.depth += 1
        self.index += 1
        try self.skipBlanks()
    }

    private mutating func object() throws(RulesFault) -> RulesSource {
        try self.enter()
        defer { self.depth -= 1 }
        var members: [RulesSource.Member] = []
        while self.current != UInt8(ascii: "}") {
            if !members.isEmpty {
                try self.take(",")
                try self.skipBlanks()
            }
            guard self.current == UInt8(ascii: "\"") else { throw self.unexpected() }
            let start = self.index
            let key = try self.string()
            try self.take(":")
            members.append(.init(key: key.text, keyOffset: start, value: try self.value()))
            try self.skipBlanks()
        }
        self.index += 1
        return .object(members)
    }

    private mutating func array() throws(RulesFault) -> RulesSource {
        try self.enter()
        defer { self.depth -= 1 }
        var elements: [RulesSource.Element] = []
        while self.current != UInt8(ascii: "]") {
            if !elements.isEmpty { try self.take(",") }
            elements.append(try self.value())
            try self.skipBlanks()
        }
        self.index += 1
        return .array(elements)
    }

    private mutating func string() throws(RulesFault) -> RulesString {
        var string = RulesString()
        self.index += 1
        while let byte = self.current {
            let start = self.index
            self.index += 1
            if byte == UInt8(ascii: "\"") {
                string.end = start
                return string
            }
            let bytes = byte == UInt8(ascii: "\\") ? try self.escaped() : [byte]
            string.bytes += bytes
            string.offsets.append(contentsOf: repeatElement(start, count: bytes.count))
        }
        throw self.unexpected()
    }

    private mutating func escaped() throws(RulesFault) -> [UInt8] {
        guard let byte = self.current else { throw self.unexpected() }
        self.index += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return [byte]
        case UInt8(ascii: "b"): return [0x08]
        case UInt8(ascii: "f"): return [0x0C]
        case UInt8(ascii: "n"): return [0x0A]
        case UInt8(ascii: "r"): return [0x0D]
        case UInt8(ascii: "t"): return [0x09]
        case UInt8(ascii: "u"):
            var units = [try self.unit()]
            if (0xD800..<0xDC00).contains(units[0]), self.text[self.index...].starts(with: "\\u".utf8) {
                self.index += 2
                units.append(try self.unit())
            }
            return Array(String(decoding: units, as: UTF16.self).utf8)
        default: throw RulesFault("Parse error: invalid escape.", at: self.index - 1)
        }
    }

    private mutating func unit() throws(RulesFault) -> UInt16 {
        let digits = self.text[self.index...].prefix(4)
        guard digits.count == 4, digits.allSatisfy({ Hexadecimal.value($0) != nil }) else {
            throw RulesFault("Parse error: invalid escape.", at: self.index)
        }
        self.index += 4
        return digits.reduce(0) { $0 << 4 | UInt16(Hexadecimal.value($1) ?? 0) }
    }
}

/// Comments are alike in the text and in its expressions.
enum BlankScanner {
    /// Behind the comment that begins here.
    static func endOfComment(_ text: [UInt8], _ start: Int) throws(RulesFault) -> Int {
        let mark = start + 1 < text.count ? text[start + 1] : 0
        var index = start + 2
        switch mark {
        case UInt8(ascii: "/"):
            while index < text.count, text[index] != 0x0A { index += 1 }
            return index
        case UInt8(ascii: "*"):
            while index + 1 < text.count {
                if text[index] == UInt8(ascii: "*"), text[index + 1] == UInt8(ascii: "/") { return index + 2 }
                index += 1
            }
            throw RulesFault("A comment does not end.", at: start)
        default: throw RulesFault("Parse error: unexpected '/'.", at: start)
        }
    }
}
