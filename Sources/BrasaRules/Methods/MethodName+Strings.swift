internal import BrasaDocuments

extension MethodName {
    /// Nil when strings have no such method, or not for these arguments.
    func call(
        on text: UTF8Text,
        _ arguments: [RuleValue],
        _ pattern: RegularExpression?,
        _ work: inout Work
    ) throws(EvaluationError) -> RuleValue? {
        try work.spend(1 + text.bytes.count / 8)
        switch self {
        case .matches, .split, .replace: return try self.callPattern(on: text, arguments, pattern, &work)
        default: break
        }
        guard arguments.isEmpty else { return nil }
        switch self {
        case .size: return .int(Int64(UTF16Text.count(text)))
        case .lower: return .string(text.mapASCII(UInt8(ascii: "A")...UInt8(ascii: "Z"), flipping: 0x20))
        case .upper: return .string(text.mapASCII(UInt8(ascii: "a")...UInt8(ascii: "z"), flipping: 0x20))
        case .trim: return .string(text.trimmed)
        case .toUtf8: return .bytes(text.bytes)
        default: return nil
        }
    }

    private func callPattern(
        on text: UTF8Text,
        _ arguments: [RuleValue],
        _ pattern: RegularExpression?,
        _ work: inout Work
    ) throws(EvaluationError) -> RuleValue? {
        guard arguments.count == (self == .replace ? 2 : 1), case .string(let source) = arguments[0] else { return nil }
        let expression: RegularExpression
        if let pattern {
            expression = pattern
        } else {
            do throws(RegexFailure) { expression = try RegularExpression(source) } catch {
                throw .invalidPattern(source.string)
            }
            try work.spend(source.bytes.count + 4 * expression.instructions.count)
        }
        switch self {
        case .matches: return .bool(try expression.matches(text, &work))
        case .split: return .list(try expression.split(text, &work).map { .string($0) })
        default:
            guard case .string(let replacement) = arguments[1] else { return nil }
            return .string(try expression.replace(text, with: replacement, &work))
        }
    }
}

extension UTF8Text {
    /// Flips a bit of the bytes in a range; what the others stand for does not change.
    fileprivate func mapASCII(_ range: ClosedRange<UInt8>, flipping bit: UInt8) -> UTF8Text {
        UTF8Text(validating: self.bytes.map { range.contains($0) ? $0 ^ bit : $0 }) ?? self
    }

    /// Without the blanks of ASCII at both ends.
    fileprivate var trimmed: UTF8Text {
        func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (9...13).contains(byte) }
        guard let first = self.bytes.firstIndex(where: { !isBlank($0) }),
            let last = self.bytes.lastIndex(where: { !isBlank($0) })
        else { return "" }
        return UTF8Text(validating: self.bytes[first...last]) ?? self
    }
}
