internal import BrasaDocuments

extension MethodName {
    /// Nil when strings have no such method, or not for these arguments.
    func call(
        on text: RuleText,
        _ arguments: [RuleValue],
        _ pattern: RegularExpression?,
        _ work: inout Work
    ) throws(EvaluationError) -> RuleValue? {
        switch self {
        case .matches, .split, .replace: return try self.callPattern(on: text, arguments, pattern, &work)
        default: break
        }
        guard arguments.isEmpty else { return nil }
        switch self {
        case .size: return .int(Int64(try UTF16Text.count(text, &work)))
        case .lower: return .string(try text.mapASCII(UInt8(ascii: "A")...UInt8(ascii: "Z"), flipping: 0x20, &work))
        case .upper: return .string(try text.mapASCII(UInt8(ascii: "a")...UInt8(ascii: "z"), flipping: 0x20, &work))
        case .trim: return .string(try text.trimmed(&work))
        case .toUtf8: return .bytes(text.bytes)
        default: return nil
        }
    }

    private func callPattern(
        on text: RuleText,
        _ arguments: [RuleValue],
        _ pattern: RegularExpression?,
        _ work: inout Work
    ) throws(EvaluationError) -> RuleValue? {
        guard arguments.count == (self == .replace ? 2 : 1), case .string(let source) = arguments[0] else { return nil }
        let expression = if let pattern { pattern } else { try RegularExpression(source, &work) }
        switch self {
        case .matches: return .bool(try expression.matches(text, &work))
        case .split: return .list(RuleList(try expression.split(text, &work).map { .string($0) }))
        default:
            guard case .string(let replacement) = arguments[1] else { return nil }
            return .string(try expression.replace(text, with: replacement, &work))
        }
    }
}

extension RuleText {
    /// Flips a bit of the bytes in a range; what the others stand for does not change.
    fileprivate func mapASCII(
        _ range: ClosedRange<UInt8>,
        flipping bit: UInt8,
        _ work: inout Work
    ) throws(EvaluationError) -> RuleText {
        let bytes = try self.all(.each, &work)
        return RuleText(validated: bytes.map { range.contains($0) ? $0 ^ bit : $0 })
    }

    /// Without the blanks of ASCII at both ends.
    fileprivate func trimmed(_ work: inout Work) throws(EvaluationError) -> RuleText {
        func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (9...13).contains(byte) }
        let bytes = try self.all(.each, &work)
        guard let first = bytes.firstIndex(where: { !isBlank($0) }),
            let last = bytes.lastIndex(where: { !isBlank($0) })
        else { return "" }
        return RuleText(
            validated: self.bytes.part((first - bytes.startIndex)..<(last + 1 - bytes.startIndex))
        )
    }
}
