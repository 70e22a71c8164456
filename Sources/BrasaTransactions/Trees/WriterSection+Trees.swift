import BrasaDocuments
import BrasaStore
import BrasaTree

/// The walk of writes to a tree through the section: hold the condition against the newest version, work out what changes,
/// apply it.
extension WriterSection {
    /// False when the condition's node has changed since it was judged, and is to be judged again; never the last time.
    mutating func commit(
        _ order: TreeOrder,
        _ judgement: TreeCondition.Judgement?,
        isLast: Bool,
        _ reply: Reply<TreeOutcome>,
        _ visit: inout Visit
    ) -> Bool {
        if let condition = order.condition {
            let node = self.store.newestRoot(of: order.tree)[condition.path]
            guard let holds = self.holds(condition, for: node, judgement, isLast: isLast) else { return false }
            guard holds else {
                self.answer(order, reply, .stale(node), &visit)
                return true
            }
        }
        self.perform(order, reply, &visit)
        return true
    }

    private func holds(
        _ condition: TreeCondition,
        for node: TreeNode,
        _ judgement: TreeCondition.Judgement?,
        isLast: Bool
    ) -> Bool? {
        if let judgement, judgement.node.isSame(as: node) { return judgement.holds }
        guard isLast else { return nil }
        return node.nodeCount <= self.configuration.treeHashNodesMax && node.agrees(with: condition.hash)
    }

    private mutating func perform(_ order: TreeOrder, _ reply: Reply<TreeOutcome>, _ visit: inout Visit) {
        let stamp = self.store.stamp()
        var commit = TreeCommit(of: order.tree)
        do throws(TreeError) {
            for write in order.writes { try commit.add(write, milliseconds: stamp.time.milliseconds) }
        } catch {
            self.store.withdraw(stamp)
            return self.answer(order, reply, .refused(error), &visit)
        }
        guard commit.changesSomething else {
            self.store.withdraw(stamp)
            let time = self.store.undurableTime(of: order.tree) ?? self.store.watermark
            let committed = TreeCommitted(time: time, root: commit.before, changes: commit.changes)
            return self.answer(order, reply, .committed(committed), &visit)
        }
        let committed = TreeCommitted(time: stamp.time, root: commit.after, changes: commit.changes)
        let waiter = Store.waiter(on: reply.mailbox) { outcome in
            guard let error = outcome.storeError else { return reply.complete(.success(.committed(committed))) }
            reply.complete(.failure(TransactionError(afterAppending: error)))
        }
        do throws(StoreError) {
            try self.store.apply(commit, at: stamp, waiter: waiter)
        } catch {
            self.store.withdraw(stamp)
            visit.answer(reply, .failure(TransactionError(error)))
        }
    }

    /// Without a record of its own: what it shows of the tree has to be durable.
    private func answer(
        _ order: TreeOrder,
        _ reply: Reply<TreeOutcome>,
        _ outcome: TreeOutcome,
        _ visit: inout Visit
    ) {
        guard let time = self.store.undurableTime(of: order.tree) else { return visit.answer(reply, .success(outcome)) }
        visit.answer(reply, onceDurable: time, in: self.store) { .success(outcome) }
    }
}

extension Timestamp {
    /// Since 1970, rounded down: what `now` and the server's timestamps are.
    fileprivate var milliseconds: Int64 {
        let (quotient, remainder) = self.microseconds.quotientAndRemainder(dividingBy: 1_000)
        return remainder < 0 ? quotient - 1 : quotient
    }
}
