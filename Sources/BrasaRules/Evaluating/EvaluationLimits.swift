/// What the evaluation of one operation may cost at most. At any of these bounds the operation is denied.
package struct EvaluationLimits: Hashable, Sendable {
    /// Expressions, over all statements that are tried.
    package var expressions: Int
    /// Expressions of a query, which is judged once for each way in which its filter can be true.
    package var expressionsOfQuery: Int
    /// Units of `Work`, of one to three nanoseconds each: what an operation may take, however many expressions it has.
    /// So many are spent within a millisecond, whatever they are spent on.
    package var work: Int

    package init(expressions: Int = 1_000, expressionsOfQuery: Int = 32_000, work: Int = 300_000) {
        self.expressions = expressions
        self.expressionsOfQuery = expressionsOfQuery
        self.work = work
    }
}

/// What is left of the limits.
struct EvaluationBudget {
    private let limits: EvaluationLimits
    /// Left for this decision, and behind it for the query's others.
    private var expressions = 0
    private var expressionsOfQuery: Int
    var work: Work

    init(_ limits: EvaluationLimits) {
        self.limits = limits
        self.expressionsOfQuery = limits.expressionsOfQuery
        self.work = Work(limits.work)
    }

    /// Begins a decision, the only one unless a query is judged.
    mutating func begin() {
        self.expressionsOfQuery += max(0, self.expressions)
        self.expressions = min(self.limits.expressions, self.expressionsOfQuery)
        self.expressionsOfQuery -= self.expressions
    }

    mutating func spend(_ count: Int) throws(EvaluationError) {
        self.expressions -= count
        if self.expressions < 0 { throw .expressionsExceeded(self.limits.expressions) }
        try self.work.spend(Work.expression)
    }
}
