import BrasaHTTP2
import Synchronization

/// What whoever answers keeps, drawn from the budget: given back when that is over, or when the answer was dropped.
final class DrawnBytes: Sendable {
    /// Nil bounds nothing.
    private let budget: ByteBudget?
    private let count: Atomic<Int>

    init(_ count: Int, from budget: ByteBudget?) {
        self.budget = budget
        self.count = Atomic(count)
    }

    deinit { self.giveBack() }

    /// Once.
    func giveBack() { self.budget?.giveBack(self.count.exchange(0, ordering: .relaxed)) }
}
