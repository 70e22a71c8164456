package import BrasaDocuments
import BrasaPlatform
package import BrasaQueries
package import BrasaStore

extension TransactionManager {
    /// Reads documents in a transaction, which locks them unless it reads from a snapshot.
    @discardableResult
    package func read(
        transaction id: TransactionID,
        database: DatabaseHandle,
        paths: [ResourcePath],
        reply: Reply<ReadResult>
    ) -> RequestTicket? {
        self.waitable { now, completions in
            guard let transaction = self.open(id, in: database, reply, now: now, &completions) else { return }
            let read = PendingRead(transaction: transaction, paths: paths, reply: reply)
            switch transaction.state {
            case .committing:
                completions.add(to: reply, isCaller: true, .failure(.expired))
            case .doomed(let snapshot):
                self.readDoomed(read, at: snapshot, isCaller: true, &completions)
            case .active where transaction.readsSnapshot:
                guard let snapshot = self.snapshot(of: transaction, for: reply, &completions) else { return }
                guard self.observe(paths, by: transaction, for: reply, &completions) else { return }
                self.readSnapshot(read, snapshot, &completions)
            case .active:
                let owner = self.owner(of: transaction)
                let locks = self.locks.locksForReading(paths, by: owner, now: now)
                let request = LockRequest(owner: owner, kind: .read(locks), work: .read(read))
                self.submit(request, now: now, &completions)
            }
        }
    }

    /// Asks at which time to scan `range` in a transaction. In a locking one nobody else changes a document in the range or
    /// brings one there from then until the transaction ends: neither what the scan finds nor a phantom.
    @discardableResult
    package func scan(
        transaction id: TransactionID,
        database: DatabaseHandle,
        range: QueryRange,
        reply: Reply<ScanGrant>
    ) -> RequestTicket? {
        self.waitable { now, completions in
            guard let transaction = self.open(id, in: database, reply, now: now, &completions) else { return }
            let scan = PendingScan(transaction: transaction, reply: reply)
            switch transaction.state {
            case .committing:
                completions.add(to: reply, isCaller: true, .failure(.expired))
            case .doomed(let snapshot):
                self.scanDoomed(scan, at: snapshot, isCaller: true, &completions)
            case .active where transaction.readsSnapshot:
                guard let snapshot = self.snapshot(of: transaction, for: reply, &completions) else { return }
                guard let token = self.observe(range, by: transaction, for: reply, &completions) else { return }
                let grant = ScanGrant(readTime: snapshot.time, token: token, pin: snapshot.pin)
                completions.add(to: reply, isCaller: true, .success(grant))
            case .active:
                let owner = self.owner(of: transaction)
                let request = LockRequest(owner: owner, kind: .scan(range), work: .scan(scan))
                self.submit(request, now: now, &completions)
            }
        }
    }

    /// A scan that stopped early, at its limit, has seen only `range`, a part of what it asked for; others may write beyond
    /// it.
    package func narrowScan(
        transaction id: TransactionID,
        database: DatabaseHandle,
        _ grant: ScanGrant,
        to range: QueryRange
    ) {
        self.exclusively { now, completions in
            guard case .open(let transaction) = self.find(id, in: database, now: now, &completions) else { return }
            if transaction.readsSnapshot {
                transaction.observations.narrow(grant.token, to: range)
            } else if let owner = transaction.owner {
                self.locks.narrowRange(grant.token, of: owner, to: range)
            }
        }
    }

    // MARK: What optimistic transactions see

    /// Whether the read may go on.
    private func observe<Value>(
        _ paths: [ResourcePath],
        by transaction: Transaction,
        for reply: Reply<Value>,
        _ completions: inout Completions
    ) -> Bool {
        if transaction.isReadOnly { return true }
        let count = self.locks.heldDocuments + self.observations.documents + paths.count
        guard count <= self.configuration.lockedDocumentsMax else {
            completions.add(to: reply, isCaller: true, .failure(.exhausted(.lockedDocuments)))
            return false
        }
        let before = transaction.observations.count
        transaction.observations.add(paths)
        self.observations = self.observations - before + transaction.observations.count
        return true
    }

    /// The token for the scan's grant; nil when it may not go on.
    private func observe<Value>(
        _ range: QueryRange,
        by transaction: Transaction,
        for reply: Reply<Value>,
        _ completions: inout Completions
    ) -> UInt64? {
        if transaction.isReadOnly { return 0 }
        guard self.observations.ranges < self.configuration.observedRangesMax,
            transaction.observations.count.ranges < self.configuration.observedRangesPerTransactionMax
        else {
            completions.add(to: reply, isCaller: true, .failure(.exhausted(.lockedRanges)))
            return nil
        }
        self.observations.ranges += 1
        return transaction.observations.add(range)
    }

    // MARK: Once granted

    func perform(_ read: PendingRead, isCaller: Bool, now: MonotonicTime, _ completions: inout Completions) {
        read.transaction.lastActive = now
        let database = read.transaction.database
        let documents = read.paths.map { self.store.latest($0, in: database) }
        guard read.paths.contains(where: { self.isUndurable($0, in: database) }) else {
            let result = ReadResult(readTime: self.store.strongReadTime(), documents: documents)
            return completions.add(to: read.reply, isCaller: isCaller, .success(result))
        }
        let result = ReadResult(readTime: self.store.appliedTime, documents: documents)
        self.addOnceDurable(to: read.reply, isCaller: isCaller, &completions) { .success(result) }
    }

    func perform(
        _ scan: PendingScan,
        token: UInt64,
        isCaller: Bool,
        now: MonotonicTime,
        _ completions: inout Completions
    ) {
        scan.transaction.lastActive = now
        do throws(StoreError) {
            let time = self.store.appliedTime
            let grant = ScanGrant(readTime: time, token: token, pin: try self.store.pin(at: time))
            self.addOnceDurable(to: scan.reply, isCaller: isCaller, &completions) { .success(grant) }
        } catch {
            completions.add(to: scan.reply, isCaller: isCaller, .failure(TransactionError(error)))
        }
    }

    func readDoomed(
        _ read: PendingRead,
        at snapshot: Transaction.Snapshot,
        isCaller: Bool,
        _ completions: inout Completions
    ) {
        let store = self.store
        let (paths, database) = (read.paths, read.transaction.database)
        self.addOnceDurable(to: read.reply, isCaller: isCaller, &completions) {
            Self.read(paths, in: database, of: store, at: snapshot)
        }
    }

    func scanDoomed(
        _ scan: PendingScan,
        at snapshot: Transaction.Snapshot,
        isCaller: Bool,
        _ completions: inout Completions
    ) {
        let grant = ScanGrant(readTime: snapshot.time, token: 0, pin: snapshot.pin)
        self.addOnceDurable(to: scan.reply, isCaller: isCaller, &completions) { .success(grant) }
    }

    private func readSnapshot(
        _ read: PendingRead,
        _ snapshot: Transaction.Snapshot,
        _ completions: inout Completions
    ) {
        let store = self.store
        let (paths, database, reply) = (read.paths, read.transaction.database, read.reply)
        completions.add(nil) {
            reply.complete(Self.read(paths, in: database, of: store, at: snapshot))
        }
    }

    private static func read(
        _ paths: [ResourcePath],
        in database: DatabaseHandle,
        of store: Store,
        at snapshot: Transaction.Snapshot
    ) -> Result<ReadResult, TransactionError> {
        do throws(StoreError) {
            var documents: [Document?] = []
            documents.reserveCapacity(paths.count)
            for path in paths { documents.append(try store.get(path, in: database, at: snapshot.time)) }
            return .success(ReadResult(readTime: snapshot.time, documents: documents))
        } catch {
            return .failure(TransactionError(error))
        }
    }

    // MARK: Times

    func isUndurable(_ path: ResourcePath, in database: DatabaseHandle) -> Bool {
        guard let time = self.store.latestTime(path, in: database) else { return false }
        return time > self.store.watermark
    }

    /// Answers when the state of `through`, by default all that has been applied so far, is durable. That it cannot
    /// become durable is answered only if it has not before: else a rollback would tell the client otherwise than the
    /// commit that it follows.
    func addOnceDurable<Value>(
        to reply: Reply<Value>,
        through time: Timestamp? = nil,
        isCaller: Bool,
        _ completions: inout Completions,
        _ result: @escaping @Sendable () -> Result<Value, TransactionError>
    ) {
        let store = self.store
        let time = time ?? store.appliedTime
        completions.add(isCaller ? nil : reply.mailbox) {
            let waiter = Store.waiter(on: reply.mailbox) { outcome in
                switch outcome {
                case .success: reply.complete(result())
                case .failure(let error): reply.complete(.failure(TransactionError(error)))
                }
            }
            store.barrier(through: time, waiter)
        }
    }

    /// The snapshot of a transaction that reads from one, taken at its first read.
    private func snapshot<Value>(
        of transaction: Transaction,
        for reply: Reply<Value>,
        _ completions: inout Completions
    ) -> Transaction.Snapshot? {
        if let snapshot = transaction.snapshot { return snapshot }
        do throws(TransactionError) {
            transaction.snapshot = try self.snapshot(at: self.store.strongReadTime())
        } catch {
            completions.add(to: reply, isCaller: true, .failure(error))
        }
        return transaction.snapshot
    }

    /// Finds an open transaction, or answers why there is none.
    func open<Value>(
        _ id: TransactionID,
        in database: DatabaseHandle,
        _ reply: Reply<Value>,
        now: MonotonicTime,
        _ completions: inout Completions
    ) -> Transaction? {
        switch self.find(id, in: database, now: now, &completions) {
        case .open(let transaction): return transaction
        case .ended(let ended): completions.add(to: reply, isCaller: true, .failure(ended.errorOnUse))
        case .unknown: completions.add(to: reply, isCaller: true, .failure(.invalidTransaction))
        }
        return nil
    }
}
