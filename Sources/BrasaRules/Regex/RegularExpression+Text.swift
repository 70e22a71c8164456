internal import BrasaDocuments

extension RegularExpression {
    /// Whether the whole text matches.
    func matches(_ text: RuleText, _ work: inout Work) throws(EvaluationError) -> Bool {
        var matcher = try RegexMatcher(self, try text.all(.block, &work), groups: 0, &work)
        return try matcher.match(from: 0, isWhole: true, work: &work) != nil
    }

    /// Visits the matches from left to right, none of which overlap; of an empty one, one character is stepped over.
    private func visitMatches(
        in text: BytePart,
        groups: Int,
        _ work: inout Work,
        _ visit: ([Int], inout Work) throws(EvaluationError) -> Void
    ) throws(EvaluationError) {
        var matcher = try RegexMatcher(self, text, groups: groups, &work)
        let start = text.startIndex
        var position = 0
        while position <= text.count {
            guard let match = try matcher.match(from: position, isWhole: false, work: &work) else { return }
            try visit(match, &work)
            position = match[1]
            if match[0] == match[1] {
                position += 1
                while position < text.count, text[start + position] & 0xC0 == 0x80 { position += 1 }
            }
        }
    }

    /// The texts between the matches, without empty ones at the end; at least one.
    func split(_ text: RuleText, _ work: inout Work) throws(EvaluationError) -> [RuleText] {
        var parts: [Range<Int>] = []
        var end = 0
        let all = try text.all(.block, &work)
        try self.visitMatches(in: all, groups: 1, &work) { (match, work) throws(EvaluationError) in
            try work.spend(Work.element)
            parts.append(end..<match[0])
            end = match[1]
        }
        parts.append(end..<all.count)
        while parts.count > 1, parts.last?.isEmpty == true { parts.removeLast() }
        try work.spend(elements: parts.count)
        return parts.map { RuleText(validated: text.bytes.part($0)) }
    }

    func replace(
        _ text: RuleText,
        with replacement: RuleText,
        _ work: inout Work
    ) throws(EvaluationError) -> RuleText {
        let text = try text.all(.block, &work)
        let start = text.startIndex
        let parts = try RegexReplacement(replacement, groupNames: self.groupNames, &work).parts
        var result: [UInt8] = []
        func append(_ range: Range<Int>, _ work: inout Work) throws(EvaluationError) {
            try work.spend(bytes: range.count, .block)
            result.append(contentsOf: text[(start + range.lowerBound)..<(start + range.upperBound)])
        }
        var end = 0
        try self.visitMatches(in: text, groups: self.groupNames.count, &work) { (match, work) throws(EvaluationError) in
            try append(end..<match[0], &work)
            for part in parts {
                try work.spend(Work.step)
                switch part {
                case .text(let literal):
                    try work.spend(bytes: literal.count, .block)
                    result.append(contentsOf: literal)
                case .group(let group) where match[2 * group] >= 0 && match[2 * group + 1] >= match[2 * group]:
                    try append(match[2 * group]..<match[2 * group + 1], &work)
                case .group: continue
                }
            }
            end = match[1]
        }
        try append(end..<text.count, &work)
        return RuleText(validated: result)
    }
}

/// What matches are replaced with: text, and groups as `$1` or `${name}`.
struct RegexReplacement {
    enum Part {
        case text([UInt8])
        case group(Int)
    }

    private(set) var parts: [Part] = []

    init(_ replacement: RuleText, groupNames: [String?], _ work: inout Work) throws(EvaluationError) {
        let bytes = try replacement.all(.coded, &work)
        var literal: [UInt8] = []
        var index = bytes.startIndex
        while index < bytes.endIndex {
            let byte = bytes[index]
            index += 1
            switch byte {
            case UInt8(ascii: "\\"):
                guard index < bytes.endIndex else { throw .invalidReplacement(replacement.excerpt) }
                literal.append(bytes[index])
                index += 1
            case UInt8(ascii: "$"):
                try work.spend(Work.step * groupNames.count)
                guard let group = Self.group(in: bytes, at: &index, groupNames) else {
                    throw .invalidReplacement(replacement.excerpt)
                }
                if !literal.isEmpty { self.parts.append(.text(literal)) }
                literal = []
                self.parts.append(.group(group))
            default: literal.append(byte)
            }
        }
        if !literal.isEmpty { self.parts.append(.text(literal)) }
    }

    /// Reads what follows a dollar sign. Digits are read on for as long as there is such a group.
    private static func group(in bytes: BytePart, at index: inout Int, _ names: [String?]) -> Int? {
        guard index < bytes.endIndex else { return nil }
        if bytes[index] == UInt8(ascii: "{") {
            // No name is longer than a pattern.
            guard let close = bytes[index...].prefix(RegexParser.patternLengthMax).firstIndex(of: UInt8(ascii: "}"))
            else { return nil }
            let name = String(decoding: bytes[(index + 1)..<close], as: UTF8.self)
            index = close + 1
            return names.firstIndex(of: name)
        }
        guard Lexer.isDigit(bytes[index]) else { return nil }
        var group = Int(bytes[index] - UInt8(ascii: "0"))
        guard group < names.count else { return nil }
        index += 1
        while index < bytes.endIndex, Lexer.isDigit(bytes[index]) {
            let longer = group * 10 + Int(bytes[index] - UInt8(ascii: "0"))
            guard longer < names.count else { break }
            group = longer
            index += 1
        }
        return group
    }
}
