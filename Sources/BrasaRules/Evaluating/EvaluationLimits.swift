/// What the evaluation of one operation may cost at most. At any of these bounds the operation is denied.
package struct EvaluationLimits: Hashable, Sendable {
    /// Expressions, over all statements that are tried.
    package var expressions: Int
    /// Units of `Work`: what expressions do beyond being evaluated.
    package var work: Int

    package init(expressions: Int = 1_000, work: Int = 4_194_304) {
        self.expressions = expressions
        self.work = work
    }
}
