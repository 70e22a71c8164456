import BrasaTreeRules
import Synchronization

/// What several decisions of rules may cost together, in units of the rules' work.
package final class WorkPurse: Sendable {
    private let unitsMax: Int
    private let units = Atomic<Int>(0)

    package init(unitsMax: Int) {
        self.unitsMax = unitsMax
    }

    /// More than there was, where the last decision took that.
    package var spent: Int { self.units.load(ordering: .relaxed) }

    var isEmpty: Bool { self.spent >= self.unitsMax }

    fileprivate func spend(_ work: Int) -> Bool {
        self.units.wrappingAdd(work, ordering: .relaxed).oldValue < self.unitsMax
    }
}

extension WorkPurse? {
    /// Whether a decision allows it, and there was something to pay it with. Without a purse it costs nothing.
    func pays(for decision: TreeRuleDecision) -> Bool {
        let isPaid = self?.spend(decision.work) ?? true
        return isPaid && decision.isAllowed
    }
}
