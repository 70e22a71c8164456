package import BrasaRules
import Synchronization

/// Rules that some database is judged by.
package struct RulesInForce: Sendable {
    package let ruleset: Ruleset
    /// Nil where callers are not told how decisions came about.
    package let tally: RuleTally?

    init(_ ruleset: Ruleset, isExplained: Bool) {
        self.ruleset = ruleset
        self.tally = isExplained ? RuleTally(of: ruleset) : nil
    }
}

/// What the expressions of rules were worth since they came into force, on all event loops.
package final class RuleTally: Sendable {
    private let counted: Mutex<RuleCoverage>

    init(of ruleset: Ruleset) {
        self.counted = Mutex(RuleCoverage(of: ruleset))
    }

    func add(_ explanation: Explanation) { self.counted.withLock { $0.add(explanation) } }

    package var coverage: RuleCoverage { self.counted.withLock { $0 } }
}
