package import BrasaDocuments
import BrasaPlatform
package import BrasaStore

extension TransactionManager {
    /// Applies all writes or none, at one time. Without a transaction it waits for the locks of open ones like any of
    /// them; the ticket that is returned then takes it back. A witness is for commits without a transaction, and so is
    /// keeping the first document in the result.
    @discardableResult
    package func commit(
        database: DatabaseHandle,
        transaction id: TransactionID?,
        writes: [Write],
        witness: (any CommitWitness)? = nil,
        keepsDocument: Bool = false,
        reply: Reply<CommitResult>
    ) -> RequestTicket? {
        // Before any wait for locks, and outside the section that all commits share.
        let refusal = self.refusal(of: writes)
        return self.waitable { now, completions in
            guard let id else {
                if let refusal { return completions.add(to: reply, isCaller: true, .failure(refusal)) }
                return self.commitPlain(
                    writes,
                    in: database,
                    witness: witness,
                    keepsDocument: keepsDocument,
                    reply,
                    now: now,
                    &completions
                )
            }
            guard let transaction = self.open(id, in: database, reply, now: now, &completions) else { return }
            switch transaction.state {
            case .committing:
                completions.add(to: reply, isCaller: true, .failure(.expired))
            case _ where transaction.isReadOnly && !writes.isEmpty:
                self.end(transaction, .commitFailed, now: now, &completions)
                completions.add(to: reply, isCaller: true, .failure(.writesInReadOnly))
            case _ where writes.isEmpty:
                self.end(transaction, .committed(), now: now, &completions)
                completions.add(to: reply, isCaller: true, .success(self.emptyResult))
            case .doomed:
                self.end(transaction, .aborted, now: now, &completions)
                completions.add(to: reply, isCaller: true, .failure(.contention))
            case .active:
                if let refusal {
                    self.end(transaction, .commitFailed, now: now, &completions)
                    return completions.add(to: reply, isCaller: true, .failure(refusal))
                }
                self.commit(writes, of: transaction, reply, now: now, &completions)
            }
        }
    }

    /// Why these writes fail whatever is stored.
    func refusal(of writes: [Write]) -> TransactionError? {
        guard writes.count <= self.configuration.commitWritesMax else {
            return .tooManyWrites(allowed: self.configuration.commitWritesMax)
        }
        var budget = self.configuration.evaluationBudget(of: self.store)
        do throws(TransactionError) {
            for write in writes { try budget.takeWork(write.workBytes) }
            try TransactionError.wrapping { () throws(DocumentError) in try Write.validate(commit: writes) }
            return nil
        } catch {
            return error
        }
    }

    /// - Parameter writes: that nothing speaks against (`refusal`).
    func commitPlain(
        _ writes: [Write],
        in database: DatabaseHandle,
        witness: (any CommitWitness)? = nil,
        keepsDocument: Bool = false,
        _ reply: Reply<CommitResult>,
        now: MonotonicTime,
        _ completions: inout Completions
    ) {
        guard !writes.isEmpty else {
            return completions.add(to: reply, isCaller: true, .success(self.emptyResult))
        }
        let keys = Self.keys(of: writes, in: database)
        let commit = PendingCommit(
            transaction: nil,
            writes: writes,
            keys: keys,
            reply: reply,
            witness: witness,
            keepsDocument: keepsDocument
        )
        if self.locks.isFree(keys, in: database) {
            return self.perform(commit, nil, isCaller: true, now: now, &completions)
        }
        let sequence = self.nextSequence()
        let owner = LockOwner(priority: LockPriority(age: sequence, sequence: sequence), database: database)
        let request = LockRequest(owner: owner, kind: .commit(keys), work: .commit(commit))
        self.submit(request, now: now, &completions)
    }

    private func commit(
        _ writes: [Write],
        of transaction: Transaction,
        _ reply: Reply<CommitResult>,
        now: MonotonicTime,
        _ completions: inout Completions
    ) {
        let owner = self.owner(of: transaction)
        // Reads that still wait would be answered after the end.
        for request in owner.waiting {
            self.locks.cancel(request)
            self.refuse(request, .expired, &completions)
        }
        transaction.state = .committing
        let keys = Self.keys(of: writes, in: transaction.database)
        let commit = PendingCommit(transaction: transaction, writes: writes, keys: keys, reply: reply)
        self.submit(
            LockRequest(owner: owner, kind: .commit(keys), work: .commit(commit)),
            now: now,
            &completions
        )
    }

    private static func keys(of writes: [Write], in database: DatabaseHandle) -> [LockKey] {
        if writes.count == 1 { return [LockKey(database: database, path: writes[0].name.path)] }
        var seen: Set<LockKey> = []
        return writes.lazy.map { LockKey(database: database, path: $0.name.path) }.filter { seen.insert($0).inserted }
    }

    private var emptyResult: CommitResult {
        CommitResult(commitTime: self.store.strongReadTime(), results: [])
    }

    // MARK: Once granted

    func perform(
        _ commit: PendingCommit,
        _ preview: CommitPreviews.Preview?,
        isCaller: Bool,
        now: MonotonicTime,
        _ completions: inout Completions
    ) {
        if let transaction = commit.transaction, self.hasChanged(since: transaction) {
            self.end(transaction, .aborted, now: now, &completions)
            return self.answerJudged(commit, isCaller: isCaller, .failure(.contention), &completions)
        }
        let stamp = self.store.stamp(preferring: preview?.time)
        let evaluation: CommitEvaluation
        do throws(TransactionError) {
            if let preview {
                evaluation = try preview.evaluation.get()
            } else {
                var budget = self.configuration.evaluationBudget(of: self.store)
                evaluation = try CommitEvaluation(
                    commit.writes,
                    in: commit.keys[0].database,
                    of: self.store,
                    at: stamp.time,
                    within: &budget
                )
            }
        } catch {
            self.store.withdraw(stamp)
            self.end(commit.transaction, .commitFailed, now: now, &completions)
            return self.answerJudged(commit, isCaller: isCaller, .failure(error), &completions)
        }
        let result = CommitResult(
            commitTime: stamp.time,
            results: evaluation.results(at: stamp.time),
            document: commit.keepsDocument ? evaluation.firstDocument(at: stamp.time) : nil
        )
        // A receipt has to be durable also where nothing changes.
        guard !evaluation.changes.isEmpty || commit.witness != nil else {
            self.store.withdraw(stamp)
            let time = self.undurableTime(shownBy: commit)
            self.end(commit.transaction, .committed(at: time), now: now, &completions)
            return self.answer(commit, isCaller: isCaller, .success(result), onceDurable: time, &completions)
        }
        do throws(StoreError) {
            let reply = commit.reply
            let waiter = Store.waiter(on: reply.mailbox) { outcome in
                reply.complete(outcome.map { result }.mapError { TransactionError(afterAppending: $0) })
            }
            try self.store.apply(
                changes: evaluation.changes,
                receipt: commit.witness?.receipt(for: result),
                at: stamp,
                waiter: waiter
            )
            // What another that waits would do may have become something else, also for the grants of this operation.
            self.locks.previews.forget()
            self.end(commit.transaction, .committed(at: self.store.appliedTime), now: now, &completions)
        } catch {
            commit.witness?.withdrawReceipt()
            self.store.withdraw(stamp)
            self.refuse(commit, TransactionError(error), isCaller: isCaller, now: now, &completions)
        }
    }

    /// For a commit that the store did not take.
    private func refuse(
        _ commit: PendingCommit,
        _ error: TransactionError,
        isCaller: Bool,
        now: MonotonicTime,
        _ completions: inout Completions
    ) {
        switch error {
        // It may be tried again, with the locks that it has.
        case .exhausted: commit.transaction?.state = .active
        // As where it is found out before.
        case .commitTooLarge: self.end(commit.transaction, .commitFailed, now: now, &completions)
        default: self.end(commit.transaction, .aborted, now: now, &completions)
        }
        completions.add(to: commit.reply, isCaller: isCaller, .failure(error))
    }

    private func end(
        _ transaction: Transaction?,
        _ ending: TransactionTable.Ending,
        now: MonotonicTime,
        _ completions: inout Completions
    ) {
        if let transaction { self.end(transaction, ending, now: now, &completions) }
    }

    /// An answer that shows the state of the documents named, and so waits until that state is durable.
    private func answerJudged(
        _ commit: PendingCommit,
        isCaller: Bool,
        _ result: Result<CommitResult, TransactionError>,
        _ completions: inout Completions
    ) {
        let time = self.undurableTime(shownBy: commit)
        self.answer(commit, isCaller: isCaller, result, onceDurable: time, &completions)
    }

    private func answer(
        _ commit: PendingCommit,
        isCaller: Bool,
        _ result: Result<CommitResult, TransactionError>,
        onceDurable time: Timestamp?,
        _ completions: inout Completions
    ) {
        if let time {
            self.addOnceDurable(to: commit.reply, through: time, isCaller: isCaller, &completions) { result }
        } else {
            completions.add(to: commit.reply, isCaller: isCaller, result)
        }
    }

    /// Of the latest state, if what it has of the documents named is not durable. Asked once for an answer and for what is
    /// remembered of it: the watermark moves meanwhile.
    private func undurableTime(shownBy commit: PendingCommit) -> Timestamp? {
        commit.keys.contains { self.isUndurable($0.path, in: $0.database) } ? self.store.appliedTime : nil
    }

    /// Whether something that an optimistic transaction has seen is no longer so.
    private func hasChanged(since transaction: Transaction) -> Bool {
        guard let snapshot = transaction.snapshot else { return false }
        return transaction.observations.haveChanged(
            since: snapshot.time,
            in: transaction.database,
            of: self.store,
            checksMax: self.configuration.observedChecksMax
        )
    }
}

extension TransactionManager {
    /// Ends a transaction whose commit was refused before it came here.
    package func failCommit(transaction id: TransactionID, database: DatabaseHandle) {
        self.exclusively { now, completions in
            guard case .open(let transaction) = self.find(id, in: database, now: now, &completions) else { return }
            if case .committing = transaction.state { return }
            self.end(transaction, .commitFailed, now: now, &completions)
        }
    }
}
