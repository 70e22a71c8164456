package import BrasaTree

extension TreeSyncEngine {
    /// Runs an update on what is known, shows what comes of it, and sends it when those before it are through.
    package mutating func transact(
        at path: TreePath,
        isShown: Bool = true,
        stored: StoredNode? = nil,
        milliseconds: Int64,
        _ update: @escaping TransactionUpdate
    ) -> (id: TreeTransactionID, effects: EngineEffects) {
        self.lastTransaction += 1
        let id = TreeTransactionID(number: self.lastTransaction)
        let (listener, effects) = self.tree.listen(.all, at: path, stored: stored)
        self.listeners.insert(listener)
        self.take(effects)
        let input = self.tree.state(at: path) ?? .absent
        switch self.run(update, on: input, at: path) {
        case .success(let write):
            let (output, effects) = self.tree.write(write, isShown: isShown, milliseconds: milliseconds)
            self.take(effects)
            let transaction = QueuedTransaction(
                id: id,
                path: path,
                update: update,
                isShown: isShown,
                listener: listener,
                input: input,
                output: output
            )
            self.transactions.update(at: path) { $0.value = ($0.value ?? []) + [transaction] }
            self.concerned.append(path)
            self.sendReady(milliseconds)
        case .failure(let outcome):
            self.effects.ended.append(TransactionEnd(id: id, outcome: outcome.outcome))
            self.stopListening(listener)
        }
        return (id, self.finishStep())
    }

    /// The server's answer to a put: `ok`, `datastale`, or why not.
    package mutating func answerTransaction(put: Int, status: String, milliseconds: Int64) -> EngineEffects {
        self.end(put, status: status, milliseconds)
        self.sendReady(milliseconds)
        return self.finishStep()
    }

    /// Ends all of them, whether they were sent or wait: none is sent in another's stead. What was sent the server may carry
    /// out all the same.
    package mutating func endTransactions(status: String) -> EngineEffects {
        self.puts = [:]
        for transaction in self.queue(at: .root) {
            self.take(self.tree.revert(transaction.output.id))
            self.remove(transaction, .failed(status: status))
        }
        return self.finishStep()
    }

    mutating func end(_ put: Int, status: String, _ milliseconds: Int64) {
        guard let path = self.puts.removeValue(forKey: put) else { return }
        for transaction in self.queue(at: path) where transaction.phase.put == put {
            switch (status, transaction.phase) {
            case ("ok", _):
                self.take(self.tree.acknowledge(transaction.output.id))
                self.remove(transaction, .committed(transaction.output.node))
            case ("datastale", .sent): self.change(transaction) { $0.phase = .waiting }
            case ("datastale", _): self.change(transaction) { $0.phase = .doomed(status: TransactionEnd.overwritten) }
            default: self.change(transaction) { $0.phase = .doomed(status: status) }
            }
        }
        self.rerun(at: path, milliseconds)
    }

    /// Ends the transactions above a place, at it and below, save those that were sent: their answers decide. Gives where
    /// those are that may have to run again.
    mutating func overwrite(at path: TreePath) -> TreePath {
        let top = self.top(of: path)
        for transaction in self.concerned(by: path) {
            switch transaction.phase {
            case .sent(let put): self.change(transaction) { $0.phase = .overwritten(put: put) }
            case .overwritten: break
            case .waiting, .doomed:
                self.take(self.tree.revert(transaction.output.id))
                self.remove(transaction, .failed(status: TransactionEnd.overwritten))
            }
        }
        return top
    }

    /// The writes of those that a write over their places ends at once, where it has something that the server works out.
    func outputs(endedBy write: TreeWrite) -> Set<Int> {
        let workedOut = write.assignments.filter { $0.template.serverValues != nil }
        let concerned = workedOut.flatMap { self.concerned(by: $0.location.path) }
        return Set(concerned.filter { $0.phase.put == nil }.map(\.output.id))
    }

    /// Runs the transactions that a place concerns again, in order, each on what those before it leave.
    mutating func rerun(at path: TreePath, _ milliseconds: Int64) {
        let top = self.top(of: path)
        self.concerned.append(top)
        for transaction in self.queue(at: top) {
            switch transaction.phase {
            case .sent, .overwritten: break
            case .doomed(let status):
                self.take(self.tree.revert(transaction.output.id))
                self.remove(transaction, .failed(status: status))
            case .waiting: self.rerun(transaction, milliseconds)
            }
        }
    }

    private mutating func rerun(_ transaction: QueuedTransaction, _ milliseconds: Int64) {
        let (id, path) = (transaction.output.id, transaction.path)
        guard transaction.tries < QueuedTransaction.triesMax else {
            self.take(self.tree.revert(id))
            return self.remove(transaction, .failed(status: TransactionEnd.tooManyTries))
        }
        let input = self.tree.state(at: path, before: id) ?? .absent
        guard input != transaction.input else { return }
        switch self.run(transaction.update, on: input, at: path) {
        case .success(let write):
            // In the old one's place, or it would be laid over what those after it have made of it.
            guard let (output, effects) = self.tree.replace(id, by: write, milliseconds: milliseconds) else {
                // What has no write would wait for ever, and hold up those above and below.
                assertionFailure("a transaction that waits has no write")
                return self.remove(transaction, .failed(status: TransactionEnd.overwritten))
            }
            self.take(effects)
            self.change(transaction) { ($0.input, $0.output) = (input, output) }
        case .failure(let outcome):
            self.take(self.tree.revert(id))
            self.remove(transaction, outcome.outcome)
        }
    }

    /// Sends what waits where nothing above or below is on its way: all of one place and beneath as one put. Only where the
    /// step has changed something, lest each step goes through all transactions.
    mutating func sendReady(_ milliseconds: Int64) {
        let concerned = self.concerned
        self.concerned = []
        for path in concerned.flatMap({ self.tops(at: $0) }) {
            let queue = self.queue(at: path)
            guard queue.allSatisfy({ $0.phase == .waiting }) else { continue }
            let state = self.tree.state(at: path, without: Set(queue.map(\.output.id))) ?? .absent
            let template = self.merged(queue, over: state, at: path, milliseconds)
            guard let write = try? TreeWrite.set(template, at: TreeLocation(path)) else { continue }
            self.lastPut += 1
            let put = self.lastPut
            self.puts[put] = path
            for transaction in queue {
                self.change(transaction) { ($0.phase, $0.tries) = (.sent(put: put), $0.tries + 1) }
            }
            self.effects.writes.append(.transaction(put: put, write, hash: state.hash))
        }
    }

    /// What transactions write one after the other, as one put. The server adds to what it has; an increment over what an earlier
    /// one of them writes adds to that, and is worked out here: the put counts only where the server has the same state.
    private func merged(
        _ queue: [QueuedTransaction],
        over state: TreeNode,
        at path: TreePath,
        _ milliseconds: Int64
    ) -> TreeTemplate {
        var merged = TreeTemplate(state)
        var written = PathTree<Bool>()
        for transaction in queue {
            let place = path.relative(transaction.path) ?? .root
            var template = transaction.output.template
            if template.serverValues != nil, written.touches(place) {
                let present = merged[place].resolved(present: state[place], milliseconds: milliseconds)
                template = template.resolvingIncrements(present: present)
            }
            merged = merged.setting(template, at: place)
            written.update(at: place) { $0.value = true }
        }
        return merged
    }
}

// MARK: The queues

extension TreeSyncEngine {
    private struct NoOutput: Error {
        let outcome: TransactionEnd.Outcome
    }

    private func run(
        _ update: TransactionUpdate,
        on input: TreeNode,
        at path: TreePath
    ) -> Result<TreeWrite, NoOutput> {
        guard let template = update(input) else { return .failure(NoOutput(outcome: .aborted(input))) }
        do throws(TreeError) {
            return .success(try TreeWrite.set(template, at: TreeLocation(path)))
        } catch {
            return .failure(NoOutput(outcome: .invalid(error)))
        }
    }

    /// The uppermost place above a path, or the path itself, where transactions are.
    private func top(of path: TreePath) -> TreePath {
        self.transactions.first(onWayTo: path) { _ in true }?.path ?? path
    }

    /// The uppermost places on the way to a path or, where there are none, those below it.
    private func tops(at path: TreePath) -> [TreePath] {
        if let top = self.transactions.first(onWayTo: path, where: { _ in true }) { return [top.path] }
        return self.transactions.branch(at: path)?.uppermost(from: path) { _, _ in true }.map(\.path) ?? []
    }

    /// At a path and below, in the order in which they began.
    private func queue(at path: TreePath) -> [QueuedTransaction] {
        var queue: [QueuedTransaction] = []
        self.transactions.branch(at: path)?.forEach { queue += $1 }
        return queue.sorted { $0.id < $1.id }
    }

    /// Above a path, at it and below, in the order in which they began.
    private func concerned(by path: TreePath) -> [QueuedTransaction] {
        self.queue(at: self.top(of: path)).filter { $0.path.contains(path) || path.contains($0.path) }
    }

    private mutating func change(_ transaction: QueuedTransaction, _ body: (inout QueuedTransaction) -> Void) {
        self.transactions.update(at: transaction.path) { branch in
            guard let index = branch.value?.firstIndex(where: { $0.id == transaction.id }) else { return }
            if var changed = branch.value?[index] {
                body(&changed)
                branch.value?[index] = changed
            }
        }
    }

    private mutating func remove(_ transaction: QueuedTransaction, _ outcome: TransactionEnd.Outcome) {
        self.transactions.update(at: transaction.path) { branch in
            branch.value?.removeAll { $0.id == transaction.id }
            if branch.value?.isEmpty ?? false { branch.value = nil }
        }
        self.effects.ended.append(TransactionEnd(id: transaction.id, outcome: outcome))
        self.stopListening(transaction.listener)
    }

    private mutating func stopListening(_ listener: SyncListenerID) {
        self.take(self.tree.unlisten(listener))
        self.listeners.remove(listener)
    }
}

extension QueuedTransaction.Phase {
    fileprivate var put: Int? {
        switch self {
        case .sent(let put), .overwritten(let put): put
        case .waiting, .doomed: nil
        }
    }
}
