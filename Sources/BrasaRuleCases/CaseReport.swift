package import BrasaRules

/// What became of cases, for people.
package struct CaseReport {
    package let lines: [String]
    package let failureCount: Int

    /// With `explains`, how every decision came about; without it, that of those which came out otherwise. With `covers`,
    /// what of the rules no case has tried.
    package init(_ cases: [RuleCase], under rules: Ruleset, explains: Bool, covers: Bool = false) {
        var coverage = RuleCoverage(of: rules)
        var lines: [String] = []
        var failures = 0
        for one in cases {
            let decision = one.decision(under: rules)
            for step in decision.steps { coverage.add(step.explanation) }
            let isAsExpected = decision.isAllowed == one.expectsAllowed
            if !isAsExpected { failures += 1 }
            let words = decision.isAllowed ? "allowed" : "denied"
            let rest = isAsExpected ? "" : ", expected \(one.expectsAllowed ? "allow" : "deny")"
            lines.append("\(isAsExpected ? "ok  " : "FAIL") line \(one.line): \(one.name): \(words)\(rest)")
            if explains || !isAsExpected {
                for step in decision.steps { lines += Self.lines(step, rules).map { "     \($0)" } }
            }
        }
        if covers { lines += Self.lines(coverage, rules) }
        lines.append("\(cases.count - failures) of \(cases.count) decided as expected")
        self.lines = lines
        self.failureCount = failures
    }

    private static func lines(_ step: CaseDecision.Step, _ rules: Ruleset) -> [String] {
        let explanation = step.explanation
        var lines = ["\(explanation.method.rawValue) \(step.subject)"]
        if explanation.statements.isEmpty { lines.append("  no statement covers it") }
        for statement in explanation.statements {
            let way = explanation.decisions > 1 ? " (way \(statement.decision) of the filter)" : ""
            lines.append("  L\(statement.position.line) allow\(way): \(Self.text(statement.outcome))")
            if let failure = statement.failure {
                lines.append("    failed: \(Self.place(failure)) \(Self.source(failure.range, rules))")
            }
            var told: Set<String> = []
            for evaluation in statement.evaluations {
                guard let value = evaluation.value?.debugText else { continue }
                let source = Self.source(evaluation.range, rules)
                // What a literal is worth is plain.
                guard source != value, source.first != "'", source.first != "\"" else { continue }
                let line = "\(source) is \(value)"
                guard told.insert(line).inserted else { continue }
                lines.append("    \(Self.place(evaluation)) \(line)")
            }
        }
        return lines
    }

    private static func lines(_ coverage: RuleCoverage, _ rules: Ruleset) -> [String] {
        let lines = coverage.gaps.map { gap in
            let kind =
                switch gap.kind {
                case .neverEvaluated: "never evaluated"
                case .neverTrue: "never true"
                case .alwaysTrue: "always true"
                }
            return "L\(gap.position.line):\(gap.position.column) \(kind): \(Self.source(gap.range, rules))"
        }
        let extent = coverage.extent
        return lines + ["\(extent.covered) of \(extent.all) expressions evaluated"]
    }

    private static func text(_ outcome: StatementOutcome) -> String {
        switch outcome {
        case .allowed: "true"
        case .refused: "false"
        case .failed(let error): error.message
        }
    }

    private static func place(_ evaluation: Explanation.Evaluation) -> String {
        "L\(evaluation.position.line):\(evaluation.position.column)"
    }

    /// In one line.
    private static func source(_ range: SourceRange, _ rules: Ruleset) -> String {
        let words = rules.source.text(range).split(whereSeparator: \.isWhitespace).joined(separator: " ")
        return words.count > 100 ? "\(words.prefix(99))…" : words
    }
}
