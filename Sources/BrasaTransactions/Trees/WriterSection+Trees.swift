package import BrasaDocuments
import BrasaStore
import BrasaTree

/// The walk of writes to a tree through the section: hold the condition and the judge's ruling against the newest version,
/// work out what changes, apply it.
extension WriterSection {
    /// False when the condition's node has changed since it was judged, or the root since the judge saw it, and they are to
    /// be judged again; never the last time.
    mutating func commit(
        _ order: TreeOrder,
        _ judgement: TreeCondition.Judgement?,
        _ ruling: TreeRuling? = nil,
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
        guard let judge = order.judge else {
            self.perform(order, reply, &visit)
            return true
        }
        if let ruling, ruling.root.isSame(as: self.store.newestRoot(of: order.tree)) {
            self.perform(ruling, of: order, reply, &visit)
            return true
        }
        guard isLast else { return false }
        if order.isSmall(self.configuration) {
            self.perform(TreeRuling(of: order, by: judge, in: self.store), of: order, reply, &visit)
        } else {
            visit.answer(reply, .failure(.tooMuchContention))
        }
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
        return node.nodeCount <= self.configuration.treeHashNodesMax
            && node.estimate <= self.configuration.treeHashBytesMax && node.agrees(with: condition.hash)
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
        self.apply(commit, at: stamp, of: order, reply, &visit)
    }

    private mutating func perform(
        _ ruling: TreeRuling,
        of order: TreeOrder,
        _ reply: Reply<TreeOutcome>,
        _ visit: inout Visit
    ) {
        switch ruling.verdict {
        case .allowed(let commit): self.apply(commit, at: self.store.stamp(), of: order, reply, &visit)
        case .denied: self.answer(order, reply, .denied, &visit)
        case .refused(let error): self.answer(order, reply, .refused(error), &visit)
        }
    }

    /// On the newest version still.
    private mutating func apply(
        _ commit: TreeCommit,
        at stamp: CommitStamp,
        of order: TreeOrder,
        _ reply: Reply<TreeOutcome>,
        _ visit: inout Visit
    ) {
        guard commit.changesSomething else {
            if let will = order.ending { return self.end(will, commit, at: stamp, of: order, reply, &visit) }
            self.store.withdraw(stamp)
            let time = self.store.undurableTime(of: order.tree) ?? self.store.watermark
            let committed = TreeCommitted(time: time, root: commit.before, changes: commit.changes)
            return self.answer(order, reply, .committed(committed), &visit)
        }
        let committed = TreeCommitted(time: stamp.time, root: commit.after, changes: commit.changes)
        self.append(at: stamp, reply, .committed(committed), &visit) { store, waiter throws(StoreError) in
            try store.apply(commit, ending: order.ending, at: stamp, waiter: waiter)
        }
    }

    /// What a session left changes nothing: that it has ended is all that there is to note.
    private mutating func end(
        _ will: TreeWillID,
        _ commit: TreeCommit,
        at stamp: CommitStamp,
        of order: TreeOrder,
        _ reply: Reply<TreeOutcome>,
        _ visit: inout Visit
    ) {
        let committed = TreeCommitted(time: stamp.time, root: commit.before, changes: commit.changes)
        let step = TreeWillStep(forgetting: will, in: order.tree)
        self.append(at: stamp, reply, .committed(committed), &visit) { store, waiter throws(StoreError) in
            _ = try store.apply(step, at: stamp, waiter: waiter)
        }
    }

    /// Notes a step in what a session leaves; nil if it is refused.
    mutating func leave(_ step: TreeWillStep, _ reply: Reply<Void>, _ visit: inout Visit) -> TreeWillID? {
        let stamp = self.store.stamp()
        return self.append(at: stamp, reply, (), &visit) { store, waiter throws(StoreError) in
            try store.apply(step, at: stamp, waiter: waiter)
        }
    }

    /// Gives a record to the log. Answered when that is durable; nil and answered that nothing has happened when it was not
    /// taken.
    @discardableResult
    private func append<Value, Output>(
        at stamp: CommitStamp,
        _ reply: Reply<Value>,
        _ value: Value,
        _ visit: inout Visit,
        _ apply: (Store, Store.Waiter) throws(StoreError) -> Output
    ) -> Output? {
        let waiter = Store.waiter(on: reply.mailbox) { outcome in
            guard let error = outcome.storeError else { return reply.complete(.success(value)) }
            reply.complete(.failure(TransactionError(afterAppending: error)))
        }
        do throws(StoreError) {
            return try apply(self.store, waiter)
        } catch {
            self.store.withdraw(stamp)
            visit.answer(reply, .failure(TransactionError(error)))
            return nil
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
    package var milliseconds: Int64 {
        let (quotient, remainder) = self.microseconds.quotientAndRemainder(dividingBy: 1_000)
        return remainder < 0 ? quotient - 1 : quotient
    }
}
