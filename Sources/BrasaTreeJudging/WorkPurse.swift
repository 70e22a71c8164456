import BrasaTreeRules
import Synchronization

/// What several decisions of rules may cost together, in units of the rules' work.
package final class WorkPurse: Sendable {
    private let unitsMax: Int
    /// Since it was filled last.
    private let units = Atomic<Int>(0)
    private let unitsBefore = Atomic<Int>(0)
    private let hasRefused = Atomic<Bool>(false)

    package init(unitsMax: Int) {
        self.unitsMax = unitsMax
    }

    /// In all. More than there was, where the last decision took that.
    package var spent: Int { self.units.load(ordering: .relaxed) + self.unitsBefore.load(ordering: .relaxed) }

    /// Whether, since it was filled last, something was not decided because it was empty: that is no word of the rules.
    package var wasShort: Bool { self.hasRefused.load(ordering: .relaxed) }

    /// There is again as much as at the beginning, until that much was spent before: whose tree changes again and again does not
    /// hold a loop for long.
    func refill() {
        guard self.unitsBefore.load(ordering: .relaxed) < self.unitsMax else { return }
        self.unitsBefore.wrappingAdd(self.units.exchange(0, ordering: .relaxed), ordering: .relaxed)
        self.hasRefused.store(false, ordering: .relaxed)
    }

    /// Nil where there is nothing left to pay with.
    fileprivate func pay(for decide: () -> TreeRuleDecision) -> TreeRuleDecision? {
        guard self.units.load(ordering: .relaxed) < self.unitsMax else {
            self.hasRefused.store(true, ordering: .relaxed)
            return nil
        }
        let decision = decide()
        self.units.wrappingAdd(decision.work, ordering: .relaxed)
        return decision
    }
}

extension WorkPurse? {
    /// Whether a decision allows it, and there was something to pay it with. Without a purse it costs nothing.
    func pays(for decide: () -> TreeRuleDecision) -> Bool {
        guard let purse = self else { return decide().isAllowed }
        return purse.pay(for: decide)?.isAllowed ?? false
    }
}
