internal import BrasaDocuments

/// Runs a compiled expression over a text: all states at once, those that would be preferred first.
struct RegexMatcher {
    /// The states that a step has reached, in order of preference, each with where its groups begin and end.
    private struct Threads {
        var order: [Int] = []
        var isReached: [Bool]
        var slots: [Int] = []

        init(_ count: Int) {
            self.isReached = Array(repeating: false, count: count)
        }

        mutating func clear() {
            for state in self.order { self.isReached[state] = false }
            self.order.removeAll(keepingCapacity: true)
            self.slots.removeAll(keepingCapacity: true)
        }
    }

    private enum Step {
        case visit(Int)
        case restore(slot: Int, value: Int)
    }

    private let expression: RegularExpression
    private let text: BytePart
    private let start: Int
    /// Two for each group that the caller wants to know of.
    private let slotCount: Int
    private var current: Threads
    private var next: Threads
    private var stack: [Step] = []

    /// What a state costs that is reached, beside its groups.
    private static let stateWork = 24

    init(
        _ expression: RegularExpression,
        _ text: BytePart,
        groups: Int,
        _ work: inout Work
    ) throws(EvaluationError) {
        try work.spend(Work.expression + expression.instructions.count)
        self.expression = expression
        self.text = text
        self.start = text.startIndex
        self.slotCount = 2 * groups
        self.current = Threads(expression.instructions.count)
        self.next = Threads(expression.instructions.count)
    }

    /// Where the first match at or behind `start` has its groups, -1 for those that took no part; nil without a match.
    /// A whole match begins at `start` and ends with the text.
    mutating func match(
        from start: Int,
        isWhole: Bool,
        work: inout Work
    ) throws(EvaluationError) -> [Int]? {
        var found: [Int]?
        var position = start
        self.current.clear()
        while true {
            try work.spend(Self.stateWork)
            if found == nil, !isWhole || position == start {
                var fresh = Array(repeating: -1, count: self.slotCount)
                try self.add(0, at: position, &fresh, toNext: false, &work)
            }
            if self.current.order.isEmpty, isWhole || found != nil { break }
            let (code, length) = self.character(at: position)
            self.next.clear()
            for (index, state) in self.current.order.enumerated() {
                switch self.expression.instructions[state] {
                case .characters(let set):
                    try work.spend(self.expression.classes[set].work)
                    guard length > 0, self.expression.classes[set].contains(code) else { continue }
                    var slots = self.slots(of: index)
                    try self.add(state + 1, at: position + length, &slots, toNext: true, &work)
                    continue
                case .match where !isWhole || position == self.text.count: found = self.slots(of: index)
                default: continue
                }
                break
            }
            swap(&self.current, &self.next)
            if length == 0 { break }
            position += length
        }
        return found
    }

    private func slots(of index: Int) -> [Int] {
        Array(self.current.slots[(index * self.slotCount)..<((index + 1) * self.slotCount)])
    }

    /// Adds a state and all those that it leads to without reading. The stack is explicit: programs are long.
    private mutating func add(
        _ state: Int,
        at position: Int,
        _ slots: inout [Int],
        toNext: Bool,
        _ work: inout Work
    ) throws(EvaluationError) {
        let visitWork = Self.stateWork + 2 * self.slotCount
        self.stack.append(.visit(state))
        while let step = self.stack.popLast() {
            try work.spend(visitWork)
            switch step {
            case .restore(let slot, let value): slots[slot] = value
            case .visit(let state):
                let isReached = toNext ? self.next.isReached[state] : self.current.isReached[state]
                if isReached { continue }
                if toNext { self.reach(state, &self.next, slots) } else { self.reach(state, &self.current, slots) }
                switch self.expression.instructions[state] {
                case .jump(let target): self.stack.append(.visit(target))
                case .split(let preferred, let other):
                    self.stack.append(.visit(other))
                    self.stack.append(.visit(preferred))
                case .save(let slot):
                    if slot < self.slotCount {
                        self.stack.append(.restore(slot: slot, value: slots[slot]))
                        slots[slot] = position
                    }
                    self.stack.append(.visit(state + 1))
                case .assertion(let assertion):
                    if self.holds(assertion, at: position) { self.stack.append(.visit(state + 1)) }
                case .characters, .match: continue
                }
            }
        }
    }

    private func reach(_ state: Int, _ threads: inout Threads, _ slots: [Int]) {
        threads.isReached[state] = true
        threads.order.append(state)
        threads.slots.append(contentsOf: slots)
    }

    private func holds(_ assertion: RegexAssertion, at position: Int) -> Bool {
        switch assertion {
        case .textStart: position == 0
        case .textEnd: position == self.text.count
        case .lineStart: position == 0 || self.byte(position - 1) == 10
        case .lineEnd: position == self.text.count || self.byte(position) == 10
        case .wordBoundary: self.isWord(position - 1) != self.isWord(position)
        case .noWordBoundary: self.isWord(position - 1) == self.isWord(position)
        }
    }

    private func isWord(_ index: Int) -> Bool {
        guard (0..<self.text.count).contains(index) else { return false }
        let byte = self.byte(index)
        return Lexer.isDigit(byte) || (Lexer.isWordStart(byte) && byte != 0x24)
    }

    private func byte(_ position: Int) -> UInt8 { self.text[self.start + position] }

    /// The code point at a place in valid UTF-8, and its length; zero at the end.
    private func character(at position: Int) -> (code: UInt32, length: Int) {
        guard position < self.text.count else { return (0, 0) }
        let lead = self.byte(position)
        if lead < 0x80 { return (UInt32(lead), 1) }
        let length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2
        var code = UInt32(lead) & (0xFF >> UInt32(length + 1))
        for offset in 1..<length where position + offset < self.text.count {
            code = code << 6 | UInt32(self.byte(position + offset) & 0x3F)
        }
        return (code, min(length, self.text.count - position))
    }
}
