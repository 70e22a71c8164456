import BrasaDocuments
package import BrasaPlatform
package import BrasaStore
import Synchronization

/// The one door for writes: begins, reads in, commits and ends transactions, and takes commits that have none.
///
/// `lock` guards everything mutable here: the transaction table, the lock table and Store's writer section. Under it one
/// operation is decided to its end, including what it lets others do next; the answers are collected and given after
/// it is released. Store's and the log's own locks may be taken under it, never the other way round.
///
/// A commit that got its locks is evaluated on Store's latest state, applied in memory and lets go at once, before it is
/// durable. Others may build on it: a commit's record follows in the log, so it is durable only after it. What only
/// *shows* state waits for the log to reach that state: transactional reads, failed preconditions and commits that
/// change nothing, unless they have a witness.
package final class TransactionManager: @unchecked Sendable {
    // Sendable, because all mutable state is used only by methods that run inside `exclusively`.

    private let lock = Mutex<Void>(())
    let store: Store
    let clock: Clock
    let entropy: Entropy
    package let configuration: TransactionConfiguration
    var table: TransactionTable
    var locks: LockTable
    /// Requests that wait for locks, by arrival and so by deadline; also some that no longer wait.
    var deadlines = FirstInFirstOut<LockRequest>()
    var waitingBytes = 0
    /// Of all open optimistic transactions.
    var observations = Observations.Count()
    /// The request that the operation in progress left waiting.
    var lastWaiting: LockRequest?
    private var lastSequence: UInt64 = 0

    package init(
        store: Store,
        clock: Clock,
        entropy: Entropy,
        configuration: TransactionConfiguration = .init()
    ) {
        self.store = store
        self.clock = clock
        self.entropy = entropy
        self.configuration = configuration
        self.table = TransactionTable(configuration: configuration)
        self.locks = LockTable(
            previews: CommitPreviews(store: store, budget: configuration.evaluationBudget(of: store))
        )
    }

    // MARK: Begin and end

    package func begin(
        database: DatabaseHandle,
        mode: TransactionMode
    ) throws(TransactionError) -> TransactionID {
        try self.exclusively { (now, _) throws(TransactionError) in
            guard self.table.openCount < self.configuration.openTransactionsMax else {
                throw .exhausted(.openTransactions)
            }
            let age = try self.inheritedAge(of: mode, in: database)
            let id = TransactionID(entropy: self.entropy)
            let transaction = Transaction(
                id: id,
                sequence: self.nextSequence(),
                database: database,
                mode: mode,
                inheritedAge: age,
                now: now
            )
            if case .readOnly(let time?) = mode { transaction.snapshot = try self.snapshot(at: time) }
            self.table.insert(transaction)
            return id
        }
    }

    private func inheritedAge(
        of mode: TransactionMode,
        in database: DatabaseHandle
    ) throws(TransactionError) -> UInt64? {
        guard case .readWrite(let earlier?, _) = mode else { return nil }
        switch self.table.find(earlier, in: database) {
        case .unknown: throw .invalidTransaction
        case .open(let transaction):
            if transaction.isReadOnly { throw .retryOfReadOnly }
            return transaction.age
        case .ended(let ended):
            if ended.isReadOnly { throw .retryOfReadOnly }
            return ended.age
        }
    }

    /// That there is nothing to roll back any more because it was committed is said once that is durable: clients that lost
    /// the commit's answer take this one for it.
    package func rollback(transaction id: TransactionID, database: DatabaseHandle, reply: Reply<Void>) {
        self.exclusively { now, completions in
            switch self.find(id, in: database, now: now, &completions) {
            case .unknown: completions.add(to: reply, isCaller: true, .failure(.invalidTransaction))
            case .ended(let ended):
                let result = Result<Void, TransactionError>(failure: ended.errorOnRollback(now: now))
                if case .committed(let time?) = ended.ending, time > self.store.watermark {
                    self.addOnceDurable(to: reply, through: time, isCaller: true, &completions) { result }
                } else {
                    completions.add(to: reply, isCaller: true, result)
                }
            case .open(let transaction):
                self.end(transaction, .rolledBack, now: now, &completions)
                completions.add(to: reply, isCaller: true, .success(()))
            }
        }
    }

    // MARK: For the operations

    /// Runs one operation under the lock, grants what it set free, unlocks, and then gives the answers.
    @discardableResult
    func exclusively<Value: Sendable>(
        _ operation: (_ now: MonotonicTime, inout Completions) throws(TransactionError) -> Value
    ) throws(TransactionError) -> Value {
        var completions = Completions()
        let result = self.lock.withLock { _ -> Result<Value, TransactionError> in
            let now = self.clock.monotonic()
            defer { self.grantWaiting(now: now, &completions) }
            do throws(TransactionError) {
                return .success(try operation(now, &completions))
            } catch {
                return .failure(error)
            }
        }
        completions.run(())
        return try result.get()
    }

    /// The same for operations that answer through their reply only.
    func exclusively(_ operation: (_ now: MonotonicTime, inout Completions) -> Void) {
        var completions = Completions()
        self.lock.withLock { _ in
            let now = self.clock.monotonic()
            operation(now, &completions)
            self.grantWaiting(now: now, &completions)
        }
        completions.run(())
    }

    /// A transaction whose time is up ends here at the latest.
    func find(
        _ id: TransactionID,
        in database: DatabaseHandle,
        now: MonotonicTime,
        _ completions: inout Completions
    ) -> TransactionTable.Found {
        let found = self.table.find(id, in: database)
        guard case .open(let transaction) = found else { return found }
        guard self.table.isExpired(transaction, now: now) else {
            transaction.lastActive = now
            return found
        }
        self.end(transaction, .expired, now: now, &completions)
        return self.table.find(id, in: database)
    }

    /// Ends a transaction, lets go of its locks, and answers what it still waits for.
    func end(
        _ transaction: Transaction,
        _ ending: TransactionTable.Ending,
        now: MonotonicTime,
        _ completions: inout Completions
    ) {
        guard self.table.end(transaction, ending, now: now) else { return }
        self.observations = self.observations - transaction.observations.count
        guard let owner = transaction.owner else { return }
        for request in self.locks.release(owner) {
            self.refuse(request, .expired, &completions)
        }
    }

    func nextSequence() -> UInt64 {
        self.lastSequence += 1
        return self.lastSequence
    }

    func owner(of transaction: Transaction) -> LockOwner {
        if let owner = transaction.owner { return owner }
        let sequence = self.nextSequence()
        let priority = LockPriority(age: transaction.inheritedAge ?? sequence, sequence: sequence)
        let owner = LockOwner(priority: priority, database: transaction.database, transaction: transaction.id)
        transaction.owner = owner
        return owner
    }

    func snapshot(at time: Timestamp) throws(TransactionError) -> Transaction.Snapshot {
        do throws(StoreError) {
            try self.store.checkReadTime(time)
            return Transaction.Snapshot(time: time, pin: try self.store.pin(at: time))
        } catch {
            throw TransactionError(error)
        }
    }
}

extension Result where Success == Void {
    fileprivate init(failure: Failure?) {
        self = failure.map { .failure($0) } ?? .success(())
    }
}
