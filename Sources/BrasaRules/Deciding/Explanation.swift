/// How a decision came about: what was tried in what order, and what every expression on the way was worth.
package struct Explanation: Sendable {
    /// What became of one `allow`.
    package struct Statement: Sendable {
        /// Counted from 1: a query is decided once for each way in which its filter can be true.
        package let decision: Int
        package let position: SourcePosition
        package let outcome: StatementOutcome
        /// In the order in which they were done, operands before what is made of them.
        package let evaluations: [Evaluation]

        /// The expression that failed first and was not absorbed; nil when none did.
        package var failure: Evaluation? {
            guard case .failed(let error) = self.outcome else { return nil }
            return self.evaluations.first { $0.error == error }
        }
    }

    package struct Evaluation: Sendable {
        let node: NodeID
        package let range: SourceRange
        package let position: SourcePosition
        /// Nil when there was an error instead.
        package let value: RuleValue?
        package let error: EvaluationError?
    }

    package let isAllowed: Bool
    /// Units of `Work` that were spent.
    package let work: Int
    package let method: RuleMethod
    package let decisions: Int
    package let statements: [Statement]

    /// The `allow` that decided: which allowed, or ended the decision at a bound. Nil when all were tried in vain.
    package var deciding: Statement? {
        guard let last = self.ofLastDecision.last else { return nil }
        switch last.outcome {
        case .allowed: return last
        case .failed(let error): return error.endsDecision ? last : nil
        case .refused: return nil
        }
    }

    private var ofLastDecision: [Statement] { self.statements.filter { $0.decision == self.decisions } }

    /// The text that test tools show for a denial: an item for each statement that was tried.
    package var denialMessage: String {
        let statements = self.ofLastDecision
        if statements.isEmpty { return "No matching allow statements" }
        let items = statements.map { statement in
            let place = "for '\(self.method.rawValue)' @ L\(statement.position.line)"
            return switch statement.outcome {
            case .allowed: "true \(place)"
            case .refused: "false \(place)"
            case .failed(let error): "\(error.message) \(place)"
            }
        }
        return "\n" + items.joined(separator: ", ")
    }
}

/// Writes down what happens, for an explanation.
struct EvaluationRecorder: EvaluationObserver {
    static let isWatching = true

    private let program: Program
    private var evaluations: [Explanation.Evaluation] = []
    private(set) var statements: [Explanation.Statement] = []
    private(set) var decisions = 0

    init(_ program: Program) {
        self.program = program
    }

    mutating func began() { self.decisions += 1 }

    mutating func evaluated(_ node: NodeID, _ outcome: Result<RuleValue, EvaluationError>) {
        let range = self.program.ranges[node]
        let position = self.program.source.position(of: range)
        switch outcome {
        case .success(let value):
            self.evaluations.append(.init(node: node, range: range, position: position, value: value, error: nil))
        case .failure(let error):
            self.evaluations.append(.init(node: node, range: range, position: position, value: nil, error: error))
        }
    }

    mutating func judged(_ statement: Program.Statement, _ outcome: StatementOutcome) {
        self.statements.append(
            Explanation.Statement(
                decision: self.decisions,
                position: self.program.source.position(of: statement.range),
                outcome: outcome,
                evaluations: self.evaluations
            )
        )
        self.evaluations.removeAll()
    }
}
