/// A regular expression compiled to a program for a machine that is in all its states at once, so that matching takes
/// time proportional to text and program, whatever the two are.
struct RegularExpression: Sendable {
    enum Instruction {
        case characters(Int)
        case assertion(RegexAssertion)
        /// The first is preferred.
        case split(Int, Int)
        case jump(Int)
        case save(Int)
        case match
    }

    private(set) var instructions: [Instruction] = []
    private(set) var classes: [CharacterClass] = []
    /// Names of the groups, nil for those that have none; the first is the whole match.
    let groupNames: [String?]
    /// The pattern, for people.
    private let excerpt: String

    /// Repetitions are written out, so short patterns can make long programs.
    static let instructionsMax = 10_000

    /// What a step of compiling takes: nested repetitions have many for few characters.
    private static let stepWork = 100

    init(_ pattern: RuleText, _ work: inout Work) throws(EvaluationError) {
        var parser = try RegexParser(pattern, work)
        defer { work = parser.work }
        let syntax = try parser.parse()
        self.groupNames = parser.groupNames
        self.excerpt = parser.excerpt
        try self.emit(.save(0))
        try self.compile(syntax, &parser.work)
        try self.emit(.save(1))
        try self.emit(.match)
    }

    private mutating func emit(_ instruction: Instruction) throws(EvaluationError) {
        guard self.instructions.count < Self.instructionsMax else { throw .invalidPattern(self.excerpt) }
        self.instructions.append(instruction)
    }

    private mutating func compile(_ syntax: RegexSyntax, _ work: inout Work) throws(EvaluationError) {
        try work.spend(Self.stepWork)
        switch syntax {
        case .empty: return
        case .characters(let characters):
            self.classes.append(characters)
            try self.emit(.characters(self.classes.count - 1))
        case .assertion(let assertion): try self.emit(.assertion(assertion))
        case .concatenation(let parts):
            for part in parts { try self.compile(part, &work) }
        case .alternation(let branches): try self.compile(branches, &work)
        case .group(let inner, let index):
            try self.emit(.save(2 * index))
            try self.compile(inner, &work)
            try self.emit(.save(2 * index + 1))
        case .repetition(let inner, let min, let max, let isGreedy):
            for _ in 0..<min { try self.compile(inner, &work) }
            if let max {
                try self.compileOptional(inner, count: max - min, isGreedy: isGreedy, &work)
            } else {
                try self.compileLoop(inner, isGreedy: isGreedy, &work)
            }
        }
    }

    private mutating func compile(_ branches: [RegexSyntax], _ work: inout Work) throws(EvaluationError) {
        var jumps: [Int] = []
        for (index, branch) in branches.enumerated() {
            guard index < branches.count - 1 else {
                try self.compile(branch, &work)
                break
            }
            let split = self.instructions.count
            try self.emit(.split(split + 1, 0))
            try self.compile(branch, &work)
            jumps.append(self.instructions.count)
            try self.emit(.jump(0))
            self.instructions[split] = .split(split + 1, self.instructions.count)
        }
        for jump in jumps { self.instructions[jump] = .jump(self.instructions.count) }
    }

    private mutating func compileOptional(
        _ inner: RegexSyntax,
        count: Int,
        isGreedy: Bool,
        _ work: inout Work
    ) throws(EvaluationError) {
        var splits: [Int] = []
        for _ in 0..<count {
            splits.append(self.instructions.count)
            try self.emit(.jump(0))
            try self.compile(inner, &work)
        }
        for split in splits { self.instructions[split] = self.split(split + 1, self.instructions.count, isGreedy) }
    }

    private mutating func compileLoop(
        _ inner: RegexSyntax,
        isGreedy: Bool,
        _ work: inout Work
    ) throws(EvaluationError) {
        let split = self.instructions.count
        try self.emit(.jump(0))
        try self.compile(inner, &work)
        try self.emit(.jump(split))
        self.instructions[split] = self.split(split + 1, self.instructions.count, isGreedy)
    }

    private func split(_ into: Int, _ past: Int, _ isGreedy: Bool) -> Instruction {
        isGreedy ? .split(into, past) : .split(past, into)
    }
}
