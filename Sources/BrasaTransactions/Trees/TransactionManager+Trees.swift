import BrasaStore

extension TransactionManager {
    /// Applies all writes to a tree or none. Answered once durable what it says is.
    ///
    /// The hash of a condition is worked out here, on a version of the tree, and holds in the section for as long as that
    /// node is there: a large one is never hashed while others wait. A node that changes every time in between is hashed in
    /// the section after some rounds, if it is small; else the condition has not held.
    package func commitTree(_ order: TreeOrder, reply: Reply<TreeOutcome>) {
        let placementsMax = self.configuration.treePlacementsMax
        guard order.placements <= placementsMax else {
            return reply.complete(.failure(.tooManyWrites(allowed: placementsMax)))
        }
        for round in 1... {
            let judgement = order.condition?.judgement(of: self.store.newestRoot(of: order.tree))
            let isLast = round >= self.configuration.treeHashRoundsMax
            let isDecided = self.visit { section, visit in
                section.commit(order, judgement, isLast: isLast, reply, &visit)
            }
            if isDecided { return }
        }
    }
}
