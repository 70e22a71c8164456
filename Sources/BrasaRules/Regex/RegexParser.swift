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
    /// What the pattern may still cost to read.
    var work: Work
    let excerpt: String

    /// Groups within groups.
    private static let depthMax = 100
    private static let repetitionsMax = 1_000
    static let patternLengthMax = 10_000

    init(_ pattern: RuleText, _ work: Work) throws(EvaluationError) {
        self.work = work
        self.excerpt = pattern.excerpt(1_000)
        guard pattern.bytes.count <= 4 * Self.patternLengthMax else { throw .invalidPattern(self.excerpt) }
        let bytes = try pattern.all(.coded, &self.work)
        self.characters = Array(String(decoding: bytes, as: UTF8.self).unicodeScalars)
    }

    /// What it takes to read an atom, a branch, or a part of a class.
    static let atomWork = 1_000
    static let partWork = 300

    var current: Unicode.Scalar? { self.position < self.characters.count ? self.characters[self.position] : nil }

    func peek(_ offset: Int) -> Unicode.Scalar? {
        let index = self.position + offset
        return index < self.characters.count ? self.characters[index] : nil
    }

    mutating func skip(_ text: String) -> Bool {
        var next = self.position
        for wanted in text.unicodeScalars {
            guard next < self.characters.count, self.characters[next] == wanted else { return false }
            next += 1
        }
        self.position = next
        return true
    }

    mutating func parse() throws(EvaluationError) -> RegexSyntax {
        guard self.characters.count <= Self.patternLengthMax else { throw .invalidPattern(self.excerpt) }
        let syntax = try self.alternation()
        guard self.current == nil else { throw .invalidPattern(self.excerpt) }
        return syntax
    }

    private mutating func alternation() throws(EvaluationError) -> RegexSyntax {
        try self.work.spend(Self.atomWork)
        guard self.depth < Self.depthMax else { throw .invalidPattern(self.excerpt) }
        self.depth += 1
        defer { self.depth -= 1 }
        var branches = [try self.concatenation()]
        while self.skip("|") {
            try self.work.spend(Self.partWork)
            branches.append(try self.concatenation())
        }
        return branches.count == 1 ? branches[0] : .alternation(branches)
    }

    private mutating func concatenation() throws(EvaluationError) -> RegexSyntax {
        var parts: [RegexSyntax] = []
        while let character = self.current, character != "|", character != ")" {
            try self.work.spend(Self.partWork)
            if self.skip("\\Q") {
                while self.current != nil, !self.skip("\\E") { parts.append(try self.literal()) }
                if let last = parts.popLast() { parts.append(try self.repeated(last)) }
                continue
            }
            if let atom = try self.atom() { parts.append(try self.repeated(atom)) }
        }
        return parts.count == 1 ? parts[0] : parts.isEmpty ? .empty : .concatenation(parts)
    }

    private mutating func literal() throws(EvaluationError) -> RegexSyntax {
        guard let character = self.current else { throw .invalidPattern(self.excerpt) }
        self.position += 1
        return try self.single(character.value)
    }

    mutating func single(_ code: UInt32) throws(EvaluationError) -> RegexSyntax {
        try self.work.spend(Self.atomWork)
        var characters = CharacterClass([code...code])
        if self.flags.ignoresCase { try characters.foldCase(&self.work) }
        characters.finish()
        return .characters(characters)
    }

    /// Nil for what only sets flags.
    private mutating func atom() throws(EvaluationError) -> RegexSyntax? {
        guard let character = self.current else { throw .invalidPattern(self.excerpt) }
        switch character {
        case "(": return try self.group()
        case "[": return .characters(try self.bracket())
        case "\\": return try self.escape()
        case "*", "+", "?": throw .invalidPattern(self.excerpt)
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

    private mutating func repeated(_ atom: RegexSyntax) throws(EvaluationError) -> RegexSyntax {
        guard let (min, max) = try self.repetition() else { return atom }
        let isGreedy = self.skip("?") == self.flags.isUngreedy
        if let next = self.current, "*+?".unicodeScalars.contains(next) { throw .invalidPattern(self.excerpt) }
        let start = self.position
        if try self.repetition() != nil { throw .invalidPattern(self.excerpt) }
        self.position = start
        return .repetition(atom, min: min, max: max, isGreedy: isGreedy)
    }

    /// `*`, `+`, `?`, `{2}`, `{2,}` or `{2,3}`; a brace that begins none of these is a character.
    private mutating func repetition() throws(EvaluationError) -> (min: Int, max: Int?)? {
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
        if let max, max < min { throw .invalidPattern(self.excerpt) }
        return (min, max)
    }

    private mutating func count() throws(EvaluationError) -> Int? {
        var count: Int?
        while let digit = self.current?.value, (0x30...0x39).contains(digit) {
            count = (count ?? 0) * 10 + Int(digit - 0x30)
            if let count, count > Self.repetitionsMax { throw .invalidPattern(self.excerpt) }
            self.position += 1
        }
        return count
    }

    private mutating func group() throws(EvaluationError) -> RegexSyntax? {
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
        guard self.skip(")") else { throw .invalidPattern(self.excerpt) }
        self.flags = outer
        return index.map { .group(inner, index: $0) } ?? inner
    }

    private mutating func groupName() throws(EvaluationError) -> String {
        var name = ""
        while let character = self.current, character != ">" {
            try self.work.spend(Self.partWork)
            guard CharacterClass(CharacterClass.words).contains(character.value) else {
                throw .invalidPattern(self.excerpt)
            }
            name.unicodeScalars.append(character)
            self.position += 1
        }
        try self.work.spend(Work.step * self.groupNames.count)
        guard self.skip(">"), !name.isEmpty, !self.groupNames.contains(name) else {
            throw .invalidPattern(self.excerpt)
        }
        return name
    }

    /// The flags behind `(?`: true when a group follows, false when they count for the rest of this one.
    private mutating func changeFlags() throws(EvaluationError) -> Bool {
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
            default: throw .invalidPattern(self.excerpt)
            }
            isEmpty = false
        }
        throw .invalidPattern(self.excerpt)
    }
}
