import BrasaPlatform
import BrasaStore

extension WriterSection {
    /// Asks for locks and goes on with the caller's work, now or once they are granted.
    mutating func submit(_ request: LockRequest, _ visit: inout Visit) {
        if let bound = self.exhaustedBound(by: request) {
            // It may be tried again, with the locks that the transaction has.
            if case .commit(let commit) = request.work { commit.transaction?.state = .active }
            return self.refuse(request, .exhausted(bound), as: .caller, &visit)
        }
        let decision = self.locks.acquire(request, now: visit.now)
        for (owner, requests) in decision.wounded { self.doom(owner, requests, &visit) }
        if decision.isGranted {
            self.perform(request, &visit)
        } else if request.isWaiting {
            self.happened.lockWaits += 1
            visit.ticket = RequestTicket(request: request)
            self.deadlines.append((request, visit.now + self.configuration.lockWait))
            // Requests that were granted leave their husks behind.
            guard self.deadlines.count > 2 * self.locks.waitingCount + 64 else { return }
            self.deadlines.removeAll { !$0.request.isWaiting }
        }
    }

    /// The last of a visit: goes on with all that can be granted by now. Each commit among them may set others free.
    mutating func grantWaiting(_ visit: inout Visit) {
        visit.turnToWaiters()
        while let (request, wounded) = self.locks.nextGranted(now: visit.now) {
            for (owner, requests) in wounded { self.doom(owner, requests, &visit) }
            self.perform(request, &visit)
        }
        self.locks.previews.forget()
    }

    private mutating func perform(_ request: LockRequest, _ visit: inout Visit) {
        switch request.work.take() {
        case .read(let read): self.perform(read, &visit)
        case .scan(let scan): self.perform(scan, token: request.grantedRange, &visit)
        case .commit(let commit): self.perform(commit, self.locks.previews.take(request), &visit)
        case nil: break
        }
    }

    /// Takes a request out of its queues if it still waits there; it gets no answer. A transaction lives on after a read of
    /// it was taken back, and ends with a commit. False when it was too late.
    mutating func cancel(_ request: LockRequest, _ visit: inout Visit) -> Bool {
        guard request.isWaiting else { return false }
        self.locks.cancel(request)
        request.work = nil
        if request.isCommit { self.abortTransaction(of: request, &visit) }
        return true
    }

    mutating func refuseOverdue(_ visit: inout Visit) {
        while let (request, deadline) = self.deadlines.first, !request.isWaiting || deadline <= visit.now {
            self.deadlines.popFirst()
            guard request.isWaiting else { continue }
            self.locks.cancel(request)
            self.happened.lockTimeouts += 1
            self.refuse(request, .tooMuchContention, &visit)
            self.abortTransaction(of: request, &visit)
        }
    }

    private mutating func abortTransaction(of request: LockRequest, _ visit: inout Visit) {
        guard let id = request.owner.transaction, let transaction = self.table.openTransaction(id) else { return }
        self.end(transaction, .aborted, &visit)
    }

    /// Answers a request that no longer waits in the lock table.
    mutating func refuse(
        _ request: LockRequest,
        _ error: TransactionError,
        as party: Visit.Party = .waiter,
        _ visit: inout Visit
    ) {
        switch request.work.take() {
        case .read(let read): visit.answer(read.reply, as: party, .failure(error))
        case .scan(let scan): visit.answer(scan.reply, as: party, .failure(error))
        case .commit(let commit): visit.answer(commit.order.reply, as: party, .failure(error))
        case nil: break
        }
    }

    /// An older transaction took these locks. See `Transaction.State.doomed`.
    private mutating func doom(_ owner: LockOwner, _ requests: [LockRequest], _ visit: inout Visit) {
        guard let id = owner.transaction, let transaction = self.table.openTransaction(id) else { return }
        self.happened.wounded += 1
        let snapshot: Transaction.Snapshot
        do throws(StoreError) {
            let time = self.store.appliedTime
            snapshot = Transaction.Snapshot(time: time, pin: try self.store.pin(at: time, in: transaction.database))
        } catch {
            self.end(transaction, .aborted, &visit)
            for request in requests { self.refuse(request, .contention, &visit) }
            return
        }
        transaction.state = .doomed(snapshot)
        for request in requests {
            switch request.work.take() {
            case .commit(let commit):
                self.end(transaction, .aborted, &visit)
                visit.answer(commit.order.reply, as: .waiter, .failure(.contention))
            case .read(let read): self.readDoomed(read, at: snapshot, as: .waiter, &visit)
            case .scan(let scan): self.scanDoomed(scan, at: snapshot, as: .waiter, &visit)
            case nil: break
            }
        }
    }

    private func exhaustedBound(by request: LockRequest) -> TransactionError.Bound? {
        switch request.kind {
        case .read(let locks):
            let count = self.locks.heldDocuments + self.observations.documents + locks.count
            if count > self.configuration.lockedDocumentsMax { return .lockedDocuments }
        case .scan:
            let count = self.locks.rangeCount(in: request.owner.database)
            if count >= self.configuration.lockedRangesPerDatabaseMax { return .lockedRanges }
        case .commit(let keys):
            // Only a commit that has to wait makes entries.
            let count = self.locks.entryCount + keys.count
            if count > 2 * self.configuration.lockedDocumentsMax { return .lockedDocuments }
        }
        let isFull =
            self.locks.waitingCount >= self.configuration.waitingRequestsMax
            || self.locks.waitingBytes + request.byteCount > self.configuration.waitingBytesMax
        return isFull && !self.locks.isGrantable(request) ? .waitingRequests : nil
    }
}
