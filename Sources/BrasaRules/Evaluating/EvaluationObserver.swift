/// Watches an evaluation. The one that nobody reads costs nothing: the compiler leaves it out.
protocol EvaluationObserver {
    static var isWatching: Bool { get }
    /// A decision begins: the only one, or the next of a query.
    mutating func began()
    mutating func evaluated(_ node: NodeID, _ outcome: Result<RuleValue, EvaluationError>)
    mutating func judged(_ statement: Program.Statement, _ outcome: StatementOutcome)
}

struct NobodyWatching: EvaluationObserver {
    static let isWatching = false
    mutating func began() {}
    mutating func evaluated(_ node: NodeID, _ outcome: Result<RuleValue, EvaluationError>) {}
    mutating func judged(_ statement: Program.Statement, _ outcome: StatementOutcome) {}
}

/// What became of one `allow`.
package enum StatementOutcome: Hashable, Sendable {
    case allowed
    case refused
    case failed(EvaluationError)
}
