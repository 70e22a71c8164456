import BrasaDocuments
import BrasaPlatform
import BrasaStore

/// The walk of a commit through the section, from the top down: find its transaction, get the locks, work out what changes,
/// apply it.
extension WriterSection {
    mutating func commit(_ order: CommitOrder, of id: TransactionID?, _ visit: inout Visit) {
        guard let id else { return self.commitPlain(order, &visit) }
        guard let transaction = self.open(id, in: order.database, order.reply, &visit) else { return }
        switch transaction.state {
        case .committing:
            visit.answer(order.reply, .failure(.expired))
        case _ where transaction.isReadOnly && !order.writes.isEmpty:
            self.end(transaction, .commitFailed, &visit)
            visit.answer(order.reply, .failure(.writesInReadOnly))
        case _ where order.writes.isEmpty:
            self.end(transaction, .committed(), &visit)
            visit.answer(order.reply, .success(self.emptyResult))
        case .doomed:
            self.end(transaction, .aborted, &visit)
            visit.answer(order.reply, .failure(.contention))
        case .active:
            if let refusal = order.refusal {
                self.end(transaction, .commitFailed, &visit)
                return visit.answer(order.reply, .failure(refusal))
            }
            self.submit(order, of: transaction, &visit)
        }
    }

    // MARK: Locks

    private mutating func commitPlain(_ order: CommitOrder, _ visit: inout Visit) {
        if let refusal = order.refusal { return visit.answer(order.reply, .failure(refusal)) }
        if order.writes.isEmpty { return visit.answer(order.reply, .success(self.emptyResult)) }
        if self.locks.isEmpty || self.locks.isFree(order.keys, in: order.database) {
            return self.perform(order, of: nil, nil, &visit)
        }
        let sequence = self.nextSequence()
        let owner = LockOwner(priority: LockPriority(age: sequence, sequence: sequence), database: order.database)
        let commit = PendingCommit(transaction: nil, order: order)
        self.submit(LockRequest(owner: owner, kind: .commit(order.keys), work: .commit(commit)), &visit)
    }

    private mutating func submit(_ order: CommitOrder, of transaction: Transaction, _ visit: inout Visit) {
        let owner = self.owner(of: transaction)
        // Reads that still wait would be answered after the end.
        for request in owner.waiting {
            self.locks.cancel(request)
            self.refuse(request, .expired, &visit)
        }
        transaction.state = .committing
        let commit = PendingCommit(transaction: transaction, order: order)
        self.submit(LockRequest(owner: owner, kind: .commit(order.keys), work: .commit(commit)), &visit)
    }

    // MARK: What changes

    /// Once it has its locks.
    mutating func perform(_ commit: PendingCommit, _ preview: CommitPreviews.Preview?, _ visit: inout Visit) {
        self.perform(commit.order, of: commit.transaction, preview, &visit)
    }

    private mutating func perform(
        _ order: CommitOrder,
        of transaction: Transaction?,
        _ preview: CommitPreviews.Preview?,
        _ visit: inout Visit
    ) {
        if let transaction, self.hasChanged(since: transaction) {
            self.end(transaction, .aborted, &visit)
            return self.answer(order, .failure(.contention), onceDurable: self.undurableTime(shownBy: order), &visit)
        }
        if let prospect = order.prospect { return self.perform(order, of: transaction, prospect, &visit) }
        let stamp = self.store.stamp(preferring: preview?.time)
        self.perform(order, of: transaction, preview?.evaluation, at: stamp, &visit)
    }

    /// What was judged outside is carried out if it still is so. Else nothing happens, and a transaction keeps its locks:
    /// the commit is to be judged again.
    private mutating func perform(
        _ order: CommitOrder,
        of transaction: Transaction?,
        _ prospect: CommitProspect,
        _ visit: inout Visit
    ) {
        guard !prospect.isTooOld(at: visit.now), prospect.stands else {
            transaction?.state = .active
            return visit.answer(order.reply, .failure(.outdated))
        }
        let stamp = self.store.stamp(preferring: prospect.time)
        self.perform(order, of: transaction, prospect.evaluation, at: stamp, &visit)
    }

    private mutating func perform(
        _ order: CommitOrder,
        of transaction: Transaction?,
        _ known: Result<CommitEvaluation, TransactionError>?,
        at stamp: CommitStamp,
        _ visit: inout Visit
    ) {
        do throws(TransactionError) {
            let evaluation = if let known { try known.get() } else { try self.evaluate(order, at: stamp.time) }
            self.apply(evaluation, of: order, transaction, at: stamp, &visit)
        } catch {
            self.store.withdraw(stamp)
            self.end(transaction, .commitFailed, &visit)
            self.answer(order, .failure(error), onceDurable: self.undurableTime(shownBy: order), &visit)
        }
    }

    private func evaluate(_ order: CommitOrder, at time: Timestamp) throws(TransactionError) -> CommitEvaluation {
        try order.evaluation(
            of: self.store,
            at: time,
            within: self.configuration.evaluationBudget(of: self.store)
        )
    }

    /// Whether something that an optimistic transaction has seen is no longer so.
    private func hasChanged(since transaction: Transaction) -> Bool {
        guard let view = transaction.view else { return false }
        return view.observations.haveChanged(
            since: view.snapshot.time,
            in: transaction.database,
            of: self.store,
            checksMax: self.configuration.observedChecksMax
        )
    }

    // MARK: Apply

    private mutating func apply(
        _ evaluation: CommitEvaluation,
        of order: CommitOrder,
        _ transaction: Transaction?,
        at stamp: CommitStamp,
        _ visit: inout Visit
    ) {
        let result = evaluation.result(at: stamp.time, keepsDocument: order.keepsDocument)
        // A receipt has to be durable also where nothing changes.
        guard !evaluation.changes.isEmpty || order.witness != nil else {
            self.store.withdraw(stamp)
            let time = self.undurableTime(shownBy: order)
            self.end(transaction, .committed(at: time), &visit)
            return self.answer(order, .success(result), onceDurable: time, &visit)
        }
        do throws(StoreError) {
            try self.store.apply(
                changes: evaluation.changes,
                receipt: order.witness?.receipt(for: result),
                at: stamp,
                waiter: order.waiter(for: result)
            )
            // What another that waits would do may have become something else, also for the grants of this visit.
            self.locks.previews.forget()
            if let transaction { self.end(transaction, .committed(at: self.store.appliedTime), &visit) }
        } catch {
            order.witness?.withdrawReceipt()
            self.store.withdraw(stamp)
            self.refuse(order, of: transaction, TransactionError(error), &visit)
        }
    }

    /// For a commit that the store did not take.
    private mutating func refuse(
        _ order: CommitOrder,
        of transaction: Transaction?,
        _ error: TransactionError,
        _ visit: inout Visit
    ) {
        switch error {
        // It may be tried again, with the locks that it has.
        case .exhausted, .memoryFull: transaction?.state = .active
        // As where it is found out before.
        case .commitTooLarge: self.end(transaction, .commitFailed, &visit)
        default: self.end(transaction, .aborted, &visit)
        }
        visit.answer(order.reply, .failure(error))
    }

    private mutating func end(
        _ transaction: Transaction?,
        _ ending: TransactionTable.Ending,
        _ visit: inout Visit
    ) {
        if let transaction { self.end(transaction, ending, &visit) }
    }

    // MARK: Answers without a record

    private func answer(
        _ order: CommitOrder,
        _ result: Result<CommitResult, TransactionError>,
        onceDurable time: Timestamp?,
        _ visit: inout Visit
    ) {
        guard let time else { return visit.answer(order.reply, result) }
        visit.answer(order.reply, onceDurable: time, in: self.store) { result }
    }

    /// Of the latest state, if what it has of the documents named is not durable: an answer that shows it has to wait. Asked
    /// once for an answer and for what is remembered of it: the watermark moves meanwhile.
    private func undurableTime(shownBy order: CommitOrder) -> Timestamp? {
        let (store, database) = (self.store, order.database)
        // It shows something of all that was looked at.
        if let prospect = order.prospect { return prospect.isUndurable ? store.appliedTime : nil }
        return order.writes.contains { store.isUndurable($0.name.path, in: database) } ? store.appliedTime : nil
    }

    private var emptyResult: CommitResult {
        CommitResult(commitTime: self.store.strongReadTime(), results: [])
    }
}
