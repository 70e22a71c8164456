import BrasaDocuments
import BrasaPlatform
import BrasaQueries
import BrasaStore

extension WriterSection {
    mutating func read(
        _ paths: [ResourcePath],
        in database: DatabaseHandle,
        by id: TransactionID,
        _ reply: Reply<ReadResult>,
        _ visit: inout Visit
    ) {
        guard let transaction = self.open(id, in: database, reply, &visit) else { return }
        let read = PendingRead(transaction: transaction, paths: paths, reply: reply)
        switch transaction.state {
        case .committing:
            visit.answer(reply, .failure(.expired))
        case .doomed(let snapshot):
            self.readDoomed(read, at: snapshot, &visit)
        case .active where transaction.readsSnapshot:
            guard let snapshot = self.snapshot(of: transaction, for: reply, &visit) else { return }
            guard self.observe(paths, by: transaction, for: reply, &visit) else { return }
            let store = self.store
            visit.answer(reply, workedOutBy: { store.read(paths, in: database, at: snapshot) })
        case .active:
            let owner = self.owner(of: transaction)
            let locks = self.locks.locksForReading(paths, by: owner, now: visit.now)
            self.submit(LockRequest(owner: owner, kind: .read(locks), work: .read(read)), &visit)
        }
    }

    mutating func scan(
        _ range: QueryRange,
        in database: DatabaseHandle,
        by id: TransactionID,
        _ reply: Reply<ScanGrant>,
        _ visit: inout Visit
    ) {
        guard let transaction = self.open(id, in: database, reply, &visit) else { return }
        let scan = PendingScan(transaction: transaction, reply: reply)
        switch transaction.state {
        case .committing:
            visit.answer(reply, .failure(.expired))
        case .doomed(let snapshot):
            self.scanDoomed(scan, at: snapshot, &visit)
        case .active where transaction.readsSnapshot:
            guard let snapshot = self.snapshot(of: transaction, for: reply, &visit) else { return }
            guard let token = self.observe(range, by: transaction, for: reply, &visit) else { return }
            visit.answer(reply, .success(ScanGrant(readTime: snapshot.time, token: token, pin: snapshot.pin)))
        case .active:
            let owner = self.owner(of: transaction)
            self.submit(LockRequest(owner: owner, kind: .scan(range), work: .scan(scan)), &visit)
        }
    }

    mutating func narrowScan(
        _ grant: ScanGrant,
        to range: QueryRange,
        in database: DatabaseHandle,
        by id: TransactionID,
        _ visit: inout Visit
    ) {
        guard case .open(let transaction) = self.find(id, in: database, &visit) else { return }
        if transaction.readsSnapshot {
            transaction.view?.observations.narrow(grant.token, to: range)
        } else if let owner = transaction.owner {
            self.locks.narrowRange(grant.token, of: owner, to: range)
        }
    }

    // MARK: What optimistic transactions see

    /// Whether the read may go on.
    private mutating func observe<Value>(
        _ paths: [ResourcePath],
        by transaction: Transaction,
        for reply: Reply<Value>,
        _ visit: inout Visit
    ) -> Bool {
        guard !transaction.isReadOnly, let before = transaction.view?.observations.count else { return true }
        let count = self.locks.heldDocuments + self.observations.documents + paths.count
        guard count <= self.configuration.lockedDocumentsMax else {
            visit.answer(reply, .failure(.exhausted(.lockedDocuments)))
            return false
        }
        transaction.view?.observations.add(paths)
        let after = transaction.view?.observations.count ?? before
        self.observations = self.observations - before + after
        return true
    }

    /// The token for the scan's grant; nil when it may not go on.
    private mutating func observe<Value>(
        _ range: QueryRange,
        by transaction: Transaction,
        for reply: Reply<Value>,
        _ visit: inout Visit
    ) -> UInt64? {
        guard !transaction.isReadOnly, let before = transaction.view?.observations.count else { return 0 }
        guard self.observations.ranges < self.configuration.observedRangesMax,
            before.ranges < self.configuration.observedRangesPerTransactionMax
        else {
            visit.answer(reply, .failure(.exhausted(.lockedRanges)))
            return nil
        }
        self.observations.ranges += 1
        return transaction.view?.observations.add(range)
    }

    /// The snapshot of a transaction that reads from one, taken at its first read.
    private func snapshot<Value>(
        of transaction: Transaction,
        for reply: Reply<Value>,
        _ visit: inout Visit
    ) -> Transaction.Snapshot? {
        if let view = transaction.view { return view.snapshot }
        do throws(TransactionError) {
            let snapshot = try self.snapshot(at: self.store.strongReadTime(), in: transaction.database)
            transaction.view = Transaction.View(snapshot)
            return snapshot
        } catch {
            visit.answer(reply, .failure(error))
            return nil
        }
    }

    // MARK: Once granted

    func perform(_ read: PendingRead, _ visit: inout Visit) {
        read.transaction.lastActive = visit.now
        let (store, database) = (self.store, read.transaction.database)
        let documents = read.paths.map { store.latest($0, in: database) }
        guard read.paths.contains(where: { store.isUndurable($0, in: database) }) else {
            let result = ReadResult(readTime: store.strongReadTime(), documents: documents)
            return visit.answer(read.reply, .success(result))
        }
        let result = ReadResult(readTime: store.appliedTime, documents: documents)
        visit.answer(read.reply, onceDurable: nil, in: store) { .success(result) }
    }

    func perform(_ scan: PendingScan, token: UInt64, _ visit: inout Visit) {
        scan.transaction.lastActive = visit.now
        do throws(StoreError) {
            let time = self.store.appliedTime
            let grant = ScanGrant(
                readTime: time,
                token: token,
                pin: try self.store.pin(at: time, in: scan.transaction.database)
            )
            visit.answer(scan.reply, onceDurable: nil, in: self.store) { .success(grant) }
        } catch {
            visit.answer(scan.reply, .failure(TransactionError(error)))
        }
    }

    func readDoomed(
        _ read: PendingRead,
        at snapshot: Transaction.Snapshot,
        as party: Visit.Party? = nil,
        _ visit: inout Visit
    ) {
        let (store, paths, database) = (self.store, read.paths, read.transaction.database)
        visit.answer(read.reply, as: party, onceDurable: nil, in: store) {
            store.read(paths, in: database, at: snapshot)
        }
    }

    func scanDoomed(
        _ scan: PendingScan,
        at snapshot: Transaction.Snapshot,
        as party: Visit.Party? = nil,
        _ visit: inout Visit
    ) {
        let grant = ScanGrant(readTime: snapshot.time, token: 0, pin: snapshot.pin)
        visit.answer(scan.reply, as: party, onceDurable: nil, in: self.store) { .success(grant) }
    }
}

extension Store {
    fileprivate func read(
        _ paths: [ResourcePath],
        in database: DatabaseHandle,
        at snapshot: Transaction.Snapshot
    ) -> Result<ReadResult, TransactionError> {
        do throws(StoreError) {
            var documents: [Document?] = []
            documents.reserveCapacity(paths.count)
            for path in paths { documents.append(try self.get(path, in: database, at: snapshot.time)) }
            return .success(ReadResult(readTime: snapshot.time, documents: documents))
        } catch {
            return .failure(TransactionError(error))
        }
    }
}
