/// What is wrong with one place of a rules text. A text with any is not installed.
package struct RulesDiagnostic: Hashable, Sendable {
    package let message: String
    /// The rule, as the keys that lead to it; empty where the text is not even JSON.
    package let rule: String
    /// From 1, in characters.
    package let line: Int
    package let column: Int
}

extension RulesDiagnostic: CustomStringConvertible {
    package var description: String {
        "Line \(self.line):\(self.column): \(self.rule.isEmpty ? "" : "\(self.rule): ")\(self.message)"
    }
}

/// A fault while the text is read; the place counts bytes from its beginning.
struct RulesFault: Error {
    let message: String
    let offset: Int
    var rule = ""

    init(_ message: String, at offset: Int) {
        (self.message, self.offset) = (message, offset)
    }

    func diagnostic(in text: [UInt8]) -> RulesDiagnostic {
        let before = text.prefix(self.offset)
        let lineStart = before.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
        return RulesDiagnostic(
            message: self.message,
            rule: self.rule,
            line: before.reduce(1) { $0 + ($1 == 0x0A ? 1 : 0) },
            column: before[lineStart...].reduce(1) { $0 + ($1 & 0xC0 != 0x80 ? 1 : 0) }
        )
    }
}
