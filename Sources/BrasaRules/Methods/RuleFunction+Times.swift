import BrasaBytes
internal import BrasaDocuments

extension RuleFunction {
    func makeTime(_ arguments: [RuleValue], _ work: inout Work) throws(EvaluationError) -> RuleValue? {
        switch self {
        case .timestampDate:
            guard case .int(let year) = arguments[0], case .int(let month) = arguments[1],
                case .int(let day) = arguments[2]
            else { return nil }
            guard let date = CivilDate(checking: year, month, day) else {
                throw .invalidDate(year: year, month: month, day: day)
            }
            return .timestamp(try RuleTimestamp(total: Int128(date.daysSinceEpoch) * 86_400 * RuleTimestamp.second))
        case .timestampValue:
            switch arguments[0] {
            case .int(let milliseconds): return .timestamp(try RuleTimestamp(milliseconds: milliseconds))
            case .string(let text):
                guard let time = try RuleTimestamp(parsing: text, &work) else { throw .timestampOutOfRange }
                return .timestamp(time)
            default: return nil
            }
        case .durationValue:
            guard case .int(let count) = arguments[0], case .string(let unit) = arguments[1] else { return nil }
            guard let duration = try RuleDuration(count, unit: unit.excerpt) else {
                throw .conversion(argument: unit.excerpt, from: "string", to: "duration unit")
            }
            return .duration(duration)
        case .durationTime:
            guard case .int(let hours) = arguments[0], case .int(let minutes) = arguments[1],
                case .int(let seconds) = arguments[2], case .int(let nanos) = arguments[3]
            else { return nil }
            let whole = Int128(hours) * 3_600 + Int128(minutes) * 60 + Int128(seconds)
            return .duration(try RuleDuration(total: whole * RuleTimestamp.second + Int128(nanos)))
        case .durationAbs:
            guard case .duration(let duration) = arguments[0] else { return nil }
            return .duration(try RuleDuration(total: duration.total < 0 ? -duration.total : duration.total))
        default: return nil
        }
    }
}

extension RuleTimestamp {
    /// RFC 3339: `2024-01-31T10:20:30.5Z`, or with an offset. Nil for any other text.
    init?(parsing text: RuleText, _ work: inout Work) throws(EvaluationError) {
        guard text.bytes.count <= 64 else { return nil }
        let bytes = Array(try text.all(.coded, &work))
        func number(_ range: Range<Int>) -> Int64? {
            guard range.upperBound <= bytes.count, bytes[range].allSatisfy(Lexer.isDigit) else { return nil }
            return bytes[range].reduce(0) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
        }
        func isAt(_ index: Int, _ mark: String) -> Bool { index < bytes.count && mark.utf8.contains(bytes[index]) }
        guard let year = number(0..<4), isAt(4, "-"), let month = number(5..<7), isAt(7, "-"),
            let day = number(8..<10), isAt(10, "Tt"), let hours = number(11..<13), isAt(13, ":"),
            let minutes = number(14..<16), isAt(16, ":"), let seconds = number(17..<19),
            let date = CivilDate(checking: year, month, day), hours < 24, minutes < 60, seconds < 60
        else { return nil }
        var index = 19
        var nanos: Int64 = 0
        if isAt(index, ".") {
            index += 1
            let start = index
            var unit: Int64 = 100_000_000
            while index < bytes.count, Lexer.isDigit(bytes[index]) {
                nanos += Int64(bytes[index] - UInt8(ascii: "0")) * unit
                unit /= 10
                index += 1
            }
            guard index > start else { return nil }
        }
        var offset: Int64 = 0
        if isAt(index, "Zz") {
            index += 1
        } else {
            guard isAt(index, "+-"), let away = number((index + 1)..<(index + 3)), isAt(index + 3, ":"),
                let rest = number((index + 4)..<(index + 6)), away < 24, rest < 60
            else { return nil }
            offset = (away * 60 + rest) * (isAt(index, "-") ? -60 : 60)
            index += 6
        }
        guard index == bytes.count else { return nil }
        let whole = date.daysSinceEpoch * 86_400 + hours * 3_600 + minutes * 60 + seconds - offset
        try self.init(total: Int128(whole) * Self.second + Int128(nanos))
    }
}
