internal import BrasaDocuments

extension RegularExpression {
    /// Whether the whole text matches.
    func matches(_ text: UTF8Text, _ work: inout Work) throws(EvaluationError) -> Bool {
        var matcher = RegexMatcher(self, text.bytes, groups: 0)
        return try matcher.match(from: 0, isWhole: true, work: &work) != nil
    }

    /// Visits the matches from left to right, none of which overlap; of an empty one, one character is stepped over.
    private func visitMatches(
        in text: UTF8Text,
        groups: Int,
        _ work: inout Work,
        _ visit: ([Int], inout Work) throws(EvaluationError) -> Void
    ) throws(EvaluationError) {
        var matcher = RegexMatcher(self, text.bytes, groups: groups)
        var position = 0
        while position <= text.bytes.count {
            guard let match = try matcher.match(from: position, isWhole: false, work: &work) else { return }
            try visit(match, &work)
            position = match[1]
            if match[0] == match[1] {
                position += 1
                while position < text.bytes.count, text.bytes[position] & 0xC0 == 0x80 { position += 1 }
            }
        }
    }

    /// The texts between the matches, without empty ones at the end; at least one.
    func split(_ text: UTF8Text, _ work: inout Work) throws(EvaluationError) -> [UTF8Text] {
        var parts: [ArraySlice<UInt8>] = []
        var end = 0
        try self.visitMatches(in: text, groups: 1, &work) { (match, work) throws(EvaluationError) in
            try work.spend(1)
            parts.append(text.bytes[end..<match[0]])
            end = match[1]
        }
        parts.append(text.bytes[end...])
        while parts.count > 1, parts.last?.isEmpty == true { parts.removeLast() }
        return parts.map { UTF8Text(validating: $0) ?? "" }
    }

    func replace(
        _ text: UTF8Text,
        with replacement: UTF8Text,
        _ work: inout Work
    ) throws(EvaluationError) -> UTF8Text {
        let parts = try RegexReplacement(replacement, groupNames: self.groupNames).parts
        var result: [UInt8] = []
        var end = 0
        try self.visitMatches(in: text, groups: self.groupNames.count, &work) { (match, work) throws(EvaluationError) in
            let size = result.count
            result.append(contentsOf: text.bytes[end..<match[0]])
            for part in parts {
                switch part {
                case .text(let literal): result.append(contentsOf: literal)
                case .group(let group) where match[2 * group] >= 0 && match[2 * group + 1] >= match[2 * group]:
                    result.append(contentsOf: text.bytes[match[2 * group]..<match[2 * group + 1]])
                case .group: continue
                }
            }
            end = match[1]
            try work.spend(1 + (result.count - size) / 4)
        }
        result.append(contentsOf: text.bytes[end...])
        return UTF8Text(validating: result) ?? ""
    }
}

/// What matches are replaced with: text, and groups as `$1` or `${name}`.
struct RegexReplacement {
    enum Part {
        case text([UInt8])
        case group(Int)
    }

    private(set) var parts: [Part] = []

    init(_ replacement: UTF8Text, groupNames: [String?]) throws(EvaluationError) {
        let bytes = replacement.bytes
        var literal: [UInt8] = []
        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
            index += 1
            switch byte {
            case UInt8(ascii: "\\"):
                guard index < bytes.count else { throw .invalidReplacement(replacement.string) }
                literal.append(bytes[index])
                index += 1
            case UInt8(ascii: "$"):
                guard let group = Self.group(in: bytes, at: &index, groupNames) else {
                    throw .invalidReplacement(replacement.string)
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
    private static func group(in bytes: [UInt8], at index: inout Int, _ names: [String?]) -> Int? {
        guard index < bytes.count else { return nil }
        if bytes[index] == UInt8(ascii: "{") {
            guard let close = bytes[index...].firstIndex(of: UInt8(ascii: "}")) else { return nil }
            let name = String(decoding: bytes[(index + 1)..<close], as: UTF8.self)
            index = close + 1
            return names.firstIndex(of: name)
        }
        guard Lexer.isDigit(bytes[index]) else { return nil }
        var group = Int(bytes[index] - UInt8(ascii: "0"))
        guard group < names.count else { return nil }
        index += 1
        while index < bytes.count, Lexer.isDigit(bytes[index]) {
            let longer = group * 10 + Int(bytes[index] - UInt8(ascii: "0"))
            guard longer < names.count else { break }
            group = longer
            index += 1
        }
        return group
    }
}
