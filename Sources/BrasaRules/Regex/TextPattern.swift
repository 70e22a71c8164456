internal import BrasaDocuments

/// A regular expression for rules that are not written in this room's language: compiled once, and found anywhere in a
/// text in linear time, which is paid for.
package struct TextPattern: Sendable {
    private let expression: RegularExpression

    /// What it may take to compile one; longer ones have no use in rules.
    private static let compilingWork = 20_000_000

    package init(_ pattern: String, ignoresCase: Bool) throws(EvaluationError) {
        var work = Work(Self.compilingWork)
        let pattern = RuleText(validated: Array((ignoresCase ? "(?i)" + pattern : pattern).utf8))
        self.expression = try RegularExpression(pattern, &work)
    }

    /// The text is valid UTF-8.
    package func isFound(in text: [UInt8], _ work: inout Work) throws(EvaluationError) -> Bool {
        try work.spend(bytes: text.count, .block)
        var matcher = try RegexMatcher(self.expression, BytePart(text), groups: 0, &work)
        return try matcher.match(from: 0, isWhole: false, work: &work) != nil
    }
}
