/// Reads the syntax of RE2: no back-references and no look-around, so that matching takes linear time.
struct RegexParser {
    struct Flags {
        var ignoresCase = false
        var dotTakesNewline = false
        var isMultiline = false
        var isUngreedy = false
    }

    let characters: [Unicode.Scalar]
    var position = 0
    var flags = Flags()
    var groupNames: [String?] = [nil]
    private var depth = 0

    /// Groups within groups.
    private static let depthMax = 100
    private static let repetitionsMax = 1_000
    static let patternLengthMax = 10_000

    init(_ pattern: String) {
        self.characters = Array(pattern.unicodeScalars)
    }

    var current: Unicode.Scalar? { self.position < self.characters.count ? self.characters[self.position] : nil }

    func peek(_ offset: Int) -> Unicode.Scalar? {
        let index = self.position + offset
        return index < self.characters.count ? self.characters[index] : nil
    }

    mutating func skip(_ text: String) -> Bool {
        let wanted = Array(text.unicodeScalars)
        guard self.characters[self.position...].starts(with: wanted) else { return false }
        self.position += wanted.count
        return true
    }

    mutating func parse() throws(RegexFailure) -> RegexSyntax {
        guard self.characters.count <= Self.patternLengthMax else { throw RegexFailure() }
        let syntax = try self.alternation()
        guard self.current == nil else { throw RegexFailure() }
        return syntax
    }

    private mutating func alternation() throws(RegexFailure) -> RegexSyntax {
        guard self.depth < Self.depthMax else { throw RegexFailure() }
        self.depth += 1
        defer { self.depth -= 1 }
        var branches = [try self.concatenation()]
        while self.skip("|") { branches.append(try self.concatenation()) }
        return branches.count == 1 ? branches[0] : .alternation(branches)
    }

    private mutating func concatenation() throws(RegexFailure) -> RegexSyntax {
        var parts: [RegexSyntax] = []
        while let character = self.current, character != "|", character != ")" {
            if self.skip("\\Q") {
                while self.current != nil, !self.skip("\\E") { parts.append(try self.literal()) }
                if let last = parts.popLast() { parts.append(try self.repeated(last)) }
                continue
            }
            if let atom = try self.atom() { parts.append(try self.repeated(atom)) }
        }
        return parts.count == 1 ? parts[0] : parts.isEmpty ? .empty : .concatenation(parts)
    }

    private mutating func literal() throws(RegexFailure) -> RegexSyntax {
        guard let character = self.current else { throw RegexFailure() }
        self.position += 1
        return self.single(character.value)
    }

    func single(_ code: UInt32) -> RegexSyntax {
        var characters = CharacterClass([code...code])
        if self.flags.ignoresCase { characters.foldCase() }
        characters.finish()
        return .characters(characters)
    }

    /// Nil for what only sets flags.
    private mutating func atom() throws(RegexFailure) -> RegexSyntax? {
        guard let character = self.current else { throw RegexFailure() }
        switch character {
        case "(": return try self.group()
        case "[": return .characters(try self.bracket())
        case "\\": return try self.escape()
        case "*", "+", "?": throw RegexFailure()
        case ".":
            self.position += 1
            return .characters(self.flags.dotTakesNewline ? .any : .anyButNewline)
        case "^":
            self.position += 1
            return .assertion(self.flags.isMultiline ? .lineStart : .textStart)
        case "$":
            self.position += 1
            return .assertion(self.flags.isMultiline ? .lineEnd : .textEnd)
        default: return try self.literal()
        }
    }

    private mutating func repeated(_ atom: RegexSyntax) throws(RegexFailure) -> RegexSyntax {
        guard let (min, max) = try self.repetition() else { return atom }
        let isGreedy = self.skip("?") == self.flags.isUngreedy
        if let next = self.current, "*+?".unicodeScalars.contains(next) { throw RegexFailure() }
        let start = self.position
        if try self.repetition() != nil { throw RegexFailure() }
        self.position = start
        return .repetition(atom, min: min, max: max, isGreedy: isGreedy)
    }

    /// `*`, `+`, `?`, `{2}`, `{2,}` or `{2,3}`; a brace that begins none of these is a character.
    private mutating func repetition() throws(RegexFailure) -> (min: Int, max: Int?)? {
        if self.skip("*") { return (0, nil) }
        if self.skip("+") { return (1, nil) }
        if self.skip("?") { return (0, 1) }
        let start = self.position
        guard self.skip("{"), let min = try self.count() else {
            self.position = start
            return nil
        }
        var max: Int? = min
        if self.skip(",") { max = try self.count() }
        guard self.skip("}") else {
            self.position = start
            return nil
        }
        if let max, max < min { throw RegexFailure() }
        return (min, max)
    }

    private mutating func count() throws(RegexFailure) -> Int? {
        var count: Int?
        while let digit = self.current?.value, (0x30...0x39).contains(digit) {
            count = (count ?? 0) * 10 + Int(digit - 0x30)
            if let count, count > Self.repetitionsMax { throw RegexFailure() }
            self.position += 1
        }
        return count
    }

    private mutating func group() throws(RegexFailure) -> RegexSyntax? {
        let outer = self.flags
        self.position += 1
        var index: Int?
        if self.skip("?P<") || self.skip("?<") {
            index = self.groupNames.count
            self.groupNames.append(try self.groupName())
        } else if self.skip("?") {
            guard try self.changeFlags() else { return nil }
        } else {
            index = self.groupNames.count
            self.groupNames.append(nil)
        }
        let inner = try self.alternation()
        guard self.skip(")") else { throw RegexFailure() }
        self.flags = outer
        return index.map { .group(inner, index: $0) } ?? inner
    }

    private mutating func groupName() throws(RegexFailure) -> String {
        var name = ""
        while let character = self.current, character != ">" {
            guard CharacterClass(CharacterClass.words).contains(character.value) else { throw RegexFailure() }
            name.unicodeScalars.append(character)
            self.position += 1
        }
        guard self.skip(">"), !name.isEmpty, !self.groupNames.contains(name) else { throw RegexFailure() }
        return name
    }

    /// The flags behind `(?`: true when a group follows, false when they count for the rest of this one.
    private mutating func changeFlags() throws(RegexFailure) -> Bool {
        var isOn = true
        var isEmpty = true
        while let character = self.current {
            self.position += 1
            switch character {
            case "i": self.flags.ignoresCase = isOn
            case "s": self.flags.dotTakesNewline = isOn
            case "m": self.flags.isMultiline = isOn
            case "U": self.flags.isUngreedy = isOn
            case "-" where isOn:
                isOn = false
                isEmpty = true
                continue
            case ":" where isOn || !isEmpty: return true
            case ")" where !isEmpty: return false
            default: throw RegexFailure()
            }
            isEmpty = false
        }
        throw RegexFailure()
    }
}
