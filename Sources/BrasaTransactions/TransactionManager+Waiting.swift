import BrasaPlatform
import BrasaStore

extension TransactionManager {
    /// Asks for locks and goes on with the request's work, now or once they are granted.
    func submit(_ request: LockRequest, now: MonotonicTime, _ completions: inout Completions) {
        if let bound = self.exhaustedBound(by: request) {
            // It may be tried again, with the locks that the transaction has.
            if case .commit(let commit) = request.work { commit.transaction?.state = .active }
            return self.refuse(request, .exhausted(bound), isCaller: true, &completions)
        }
        let decision = self.locks.acquire(request, now: now)
        for (owner, requests) in decision.wounded {
            self.doom(owner, requests, now: now, &completions)
        }
        if decision.isGranted {
            self.perform(request, isCaller: true, now: now, &completions)
        } else if request.isWaiting {
            request.deadline = now + self.configuration.lockWait
            self.deadlines.append(request)
            request.countedBytes = request.byteCount
            self.waitingBytes += request.countedBytes
            self.lastWaiting = request
            // Requests that were granted leave their husks behind.
            if self.deadlines.count > 2 * self.locks.waitingCount + 64 { self.deadlines.removeAll { !$0.isWaiting } }
        }
    }

    /// Goes on with all that can be granted by now. Each commit among them may set others free.
    func grantWaiting(now: MonotonicTime, _ completions: inout Completions) {
        while let (request, wounded) = self.locks.nextGranted(now: now) {
            for (owner, requests) in wounded { self.doom(owner, requests, now: now, &completions) }
            self.perform(request, isCaller: false, now: now, &completions)
        }
        self.locks.previews.forget()
    }

    private func perform(
        _ request: LockRequest,
        isCaller: Bool,
        now: MonotonicTime,
        _ completions: inout Completions
    ) {
        switch self.takeWork(of: request) {
        case .read(let read): self.perform(read, isCaller: isCaller, now: now, &completions)
        case .scan(let scan):
            self.perform(scan, token: request.rangeToken, isCaller: isCaller, now: now, &completions)
        case .commit(let commit):
            let preview = self.locks.previews.take(request)
            self.perform(commit, preview, isCaller: isCaller, now: now, &completions)
        case nil: break
        }
    }

    /// Answers a request that no longer waits in the lock table.
    func refuse(
        _ request: LockRequest,
        _ error: TransactionError,
        isCaller: Bool = false,
        _ completions: inout Completions
    ) {
        switch self.takeWork(of: request) {
        case .read(let read): completions.add(to: read.reply, isCaller: isCaller, .failure(error))
        case .scan(let scan): completions.add(to: scan.reply, isCaller: isCaller, .failure(error))
        case .commit(let commit): completions.add(to: commit.reply, isCaller: isCaller, .failure(error))
        case nil: break
        }
    }

    /// An older transaction took these locks. See `Transaction.State.doomed`.
    private func doom(
        _ owner: LockOwner,
        _ requests: [LockRequest],
        now: MonotonicTime,
        _ completions: inout Completions
    ) {
        guard let id = owner.transaction, let transaction = self.table.openTransaction(id) else { return }
        let snapshot: Transaction.Snapshot
        do throws(StoreError) {
            let time = self.store.appliedTime
            snapshot = Transaction.Snapshot(time: time, pin: try self.store.pin(at: time))
        } catch {
            self.end(transaction, .aborted, now: now, &completions)
            for request in requests { self.refuse(request, .contention, &completions) }
            return
        }
        transaction.state = .doomed(snapshot)
        for request in requests {
            switch self.takeWork(of: request) {
            case .commit(let commit):
                self.end(transaction, .aborted, now: now, &completions)
                completions.add(to: commit.reply, isCaller: false, .failure(.contention))
            case .read(let read):
                self.readDoomed(read, at: snapshot, isCaller: false, &completions)
            case .scan(let scan):
                self.scanDoomed(scan, at: snapshot, isCaller: false, &completions)
            case nil: break
            }
        }
    }

    /// Lets go of a request that nobody waits for.
    func drop(_ request: LockRequest) {
        _ = self.takeWork(of: request)
    }

    private func takeWork(of request: LockRequest) -> PendingWork? {
        self.waitingBytes -= request.countedBytes
        request.countedBytes = 0
        return request.work.take()
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
            || self.waitingBytes + request.byteCount > self.configuration.waitingBytesMax
        return isFull && !self.locks.isGrantable(request) ? .waitingRequests : nil
    }
}
