import BrasaDocuments
import BrasaPlatform
import BrasaStore

/// What one thread at a time decides: the transaction table, the lock table, and the store's writer section, which is
/// entered from here only. Owned by the manager's mutex.
///
/// Every operation is decided to its end within one visit, including what it lets others do next. It calls nobody: what
/// is to be done outside is in the visit.
struct WriterSection: ~Copyable {
    let store: Store
    let configuration: TransactionConfiguration
    var table: TransactionTable
    var locks: LockTable
    /// Requests that wait for locks, by arrival and so by deadline; also some that no longer wait.
    var deadlines = FirstInFirstOut<(request: LockRequest, deadline: MonotonicTime)>()
    /// Of all open optimistic transactions.
    var observations = Observations.Count()
    var happened = TransactionStatistics.Happened()
    private let entropy: Entropy
    private var lastSequence: UInt64 = 0

    init(store: Store, entropy: Entropy, configuration: TransactionConfiguration) {
        self.store = store
        self.entropy = entropy
        self.configuration = configuration
        self.table = TransactionTable(configuration: configuration)
        self.locks = LockTable(
            previews: CommitPreviews(store: store, budget: configuration.evaluationBudget(of: store))
        )
    }

    // MARK: Begin and end

    mutating func begin(
        _ mode: TransactionMode,
        in database: DatabaseHandle,
        _ visit: borrowing Visit
    ) throws(TransactionError) -> TransactionID {
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
            now: visit.now
        )
        if case .readOnly(let time?) = mode {
            transaction.view = Transaction.View(try self.snapshot(at: time, in: database))
        }
        self.table.insert(transaction)
        self.happened.begun += 1
        return id
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

    mutating func rollback(
        _ id: TransactionID,
        in database: DatabaseHandle,
        _ reply: Reply<Void>,
        _ visit: inout Visit
    ) {
        switch self.find(id, in: database, &visit) {
        case .unknown: visit.answer(reply, .failure(.invalidTransaction))
        case .ended(let ended):
            let result = Result<Void, TransactionError>(failure: ended.errorOnRollback(now: visit.now))
            if case .committed(let time?) = ended.ending, time > self.store.watermark {
                visit.answer(reply, onceDurable: time, in: self.store) { result }
            } else {
                visit.answer(reply, result)
            }
        case .open(let transaction):
            self.end(transaction, .rolledBack, &visit)
            visit.answer(reply, .success(()))
        }
    }

    /// Ends a transaction, lets go of its locks, and answers what it still waits for.
    mutating func end(_ transaction: Transaction, _ ending: TransactionTable.Ending, _ visit: inout Visit) {
        guard self.table.end(transaction, ending, now: visit.now) else { return }
        self.happened.count(ending)
        if let view = transaction.view.take() {
            self.observations = self.observations - view.observations.count
            visit.letGo(of: view.observations)
        }
        guard let owner = transaction.owner else { return }
        for request in self.locks.release(owner) { self.refuse(request, .expired, &visit) }
    }

    mutating func endAll(in database: DatabaseHandle, _ visit: inout Visit) {
        for transaction in self.table.openTransactions(in: database) { self.end(transaction, .aborted, &visit) }
    }

    /// What time brings: requests that waited too long, transactions whose time is up, endings to forget.
    mutating func tick(_ visit: inout Visit) {
        self.refuseOverdue(&visit)
        for transaction in self.table.takeExpired(now: visit.now) { self.end(transaction, .expired, &visit) }
        self.table.forgetEnded(now: visit.now)
        self.locks.heat.forgetCold(now: visit.now)
    }

    // MARK: Finding

    /// A transaction whose time is up ends here at the latest.
    mutating func find(
        _ id: TransactionID,
        in database: DatabaseHandle,
        _ visit: inout Visit
    ) -> TransactionTable.Found {
        let found = self.table.find(id, in: database)
        guard case .open(let transaction) = found else { return found }
        guard self.table.isExpired(transaction, now: visit.now) else {
            transaction.lastActive = visit.now
            return found
        }
        self.end(transaction, .expired, &visit)
        return self.table.find(id, in: database)
    }

    /// Finds an open transaction, or answers why there is none.
    mutating func open<Value>(
        _ id: TransactionID,
        in database: DatabaseHandle,
        _ reply: Reply<Value>,
        _ visit: inout Visit
    ) -> Transaction? {
        switch self.find(id, in: database, &visit) {
        case .open(let transaction): return transaction
        case .ended(let ended): visit.answer(reply, .failure(ended.errorOnUse))
        case .unknown: visit.answer(reply, .failure(.invalidTransaction))
        }
        return nil
    }

    // MARK: For the operations

    mutating func nextSequence() -> UInt64 {
        self.lastSequence += 1
        return self.lastSequence
    }

    mutating func owner(of transaction: Transaction) -> LockOwner {
        if let owner = transaction.owner { return owner }
        let sequence = self.nextSequence()
        let priority = LockPriority(age: transaction.inheritedAge ?? sequence, sequence: sequence)
        let owner = LockOwner(priority: priority, database: transaction.database, transaction: transaction.id)
        transaction.owner = owner
        return owner
    }

    func snapshot(
        at time: Timestamp,
        in database: DatabaseHandle
    ) throws(TransactionError) -> Transaction.Snapshot {
        do throws(StoreError) {
            try self.store.checkReadTime(time, in: database)
            return Transaction.Snapshot(time: time, pin: try self.store.pin(at: time, in: database))
        } catch {
            throw TransactionError(error)
        }
    }
}

extension Store {
    /// Whether the document's newest version, or its deletion, is above the watermark.
    func isUndurable(_ path: ResourcePath, in database: DatabaseHandle) -> Bool {
        guard let time = self.latestTime(path, in: database) else { return false }
        return time > self.watermark
    }
}

extension Result where Success == Void {
    fileprivate init(failure: Failure?) {
        self = failure.map { .failure($0) } ?? .success(())
    }
}
