package import BrasaStore

extension TransactionManager {
    /// Applies all writes to a tree or none. Answered once durable what it says is.
    ///
    /// The hash of a condition is worked out here, on a version of the tree, and holds in the section for as long as that
    /// node is there: a large one is never hashed while others wait. A node that changes every time in between is hashed in
    /// the section after some rounds, if it is small; else the condition has not held.
    ///
    /// In the same way the judge is asked here about the tree before and after, and what it says holds while the root is that
    /// very one. After as many rounds it is asked in the section, if little is written; else there was too much contention.
    package func commitTree(_ order: TreeOrder, reply: Reply<TreeOutcome>) {
        if let refusal = order.refusal(in: self.store, self.configuration) {
            return reply.complete(.failure(refusal))
        }
        // Of what commits made forgotten nothing is freed in the section.
        defer {
            self.store.freeForgottenTreeSteps()
            if order.ending != nil { self.store.settleTreeWills() }
        }
        for round in 1... {
            let judgement = order.condition?.judgement(of: self.store.newestRoot(of: order.tree))
            let ruling = order.judge.map { TreeRuling(of: order, by: $0, in: self.store) }
            let isLast = round >= self.configuration.treeHashRoundsMax
            let isDecided = self.visit { section, visit in
                section.commit(order, judgement, ruling, isLast: isLast, reply, &visit)
            }
            if isDecided { return }
        }
    }

    /// Notes a step in what a session leaves. Answered once it is durable; gives what it is known by at once, nil if the step
    /// was refused.
    package func leave(_ step: TreeWillStep, reply: Reply<Void>) -> TreeWillID? {
        defer { self.store.settleTreeWills() }
        return self.visit { section, visit in section.leave(step, reply, &visit) }
    }
}
