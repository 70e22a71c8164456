import BrasaDocuments
import BrasaSimulation
import BrasaStore
import BrasaTransactions
import Testing

/// The reference's 6.7, cell by cell.
@Suite("Life cycle of a transaction's id")
struct LifeCycleTests {
    enum Past: CaseIterable {
        case committed, rolledBack, preconditionFailed, documentMissing, documentExists, malformed
        case victim, idle, idleAndPastLifetime, forgotten, neverIssued, otherDatabase, readOnlyRefused
    }

    enum Call: CaseIterable { case commit, emptyCommit, read, scan, rollback }

    @Test("every call on every past", arguments: Past.allCases, Call.allCases)
    func cell(past: Past, call: Call) throws {
        let bench = try Bench()
        let id = try self.transaction(past, on: bench)
        #expect(self.answer(call, id, bench) == Self.expected(past, call))
        // Asking changes nothing about the answer.
        #expect(self.answer(call, id, bench) == Self.expected(past, call))
    }

    private static func expected(_ past: Past, _ call: Call) -> TransactionError? {
        switch (past, call) {
        case (.committed, _): .expired
        case (.rolledBack, .rollback), (.victim, .rollback), (.idle, .rollback): nil
        case (.preconditionFailed, .rollback), (.documentMissing, .rollback), (.documentExists, .rollback),
            (.malformed, .rollback), (.readOnlyRefused, .rollback):
            nil
        case (.rolledBack, _), (.victim, _), (.idle, _), (.idleAndPastLifetime, _): .expired
        case (.preconditionFailed, _), (.documentMissing, _), (.documentExists, _), (.malformed, _),
            (.readOnlyRefused, _):
            .expiredAfterFailure
        case (.forgotten, _), (.neverIssued, _), (.otherDatabase, _): .invalidTransaction
        }
    }

    private func transaction(_ past: Past, on bench: Bench) throws -> TransactionID {
        _ = bench.commit(nil, bench.set("c/there", 1))
        bench.settle()
        switch past {
        case .committed: return try self.ended(bench, bench.set("c/a", 1))
        case .rolledBack:
            let id = try bench.holding("c/a")
            try #require(bench.rollback(id) == nil)
            return id
        case .preconditionFailed:
            return try self.ended(bench, bench.set("c/there", 2, .updateTime(Timestamp(microseconds: 5))))
        case .documentMissing: return try self.ended(bench, bench.set("c/a", 2, .exists(true)))
        case .documentExists: return try self.ended(bench, bench.set("c/there", 2, .exists(false)))
        case .malformed:
            var write = bench.delete("c/a")
            write.transforms = [FieldTransform(path: try FieldPath(parsing: Array("n".utf8)), operation: .requestTime)]
            return try self.ended(bench, write)
        case .victim:
            let older = try bench.holding("c/a")
            let id = try bench.holding("c/a")
            let lost = bench.commit(id, bench.set("c/a", 2))
            _ = bench.commit(older, bench.set("c/a", 2))
            bench.settle()
            try #require(lost.error == .contention)
            return id
        case .idle, .idleAndPastLifetime, .forgotten:
            let id = try bench.holding("c/a")
            bench.pass(seconds: 61)
            if past == .idleAndPastLifetime { bench.pass(seconds: 220) }
            if past == .forgotten { bench.pass(seconds: 301) }
            return id
        case .neverIssued: return try #require(TransactionID(bytes: Array(repeating: 7, count: 16)))
        case .otherDatabase:
            return try bench.transactions.begin(database: bench.server.database("other"), mode: .readWrite())
        case .readOnlyRefused:
            let id = try bench.begin(.readOnly())
            try #require(bench.commit(id, bench.set("c/a", 1)).error == .writesInReadOnly)
            return id
        }
    }

    private func ended(_ bench: Bench, _ write: Write) throws -> TransactionID {
        let id = try bench.holding("c/a")
        let commit = bench.commit(id, write)
        bench.settle()
        try #require(commit.isThere)
        return id
    }

    /// Nil is success.
    private func answer(_ call: Call, _ id: TransactionID, _ bench: Bench) -> TransactionError? {
        switch call {
        case .commit: bench.commit(id, bench.set("c/z", 1)).error
        case .emptyCommit: bench.commit(id).error
        case .read: bench.read(id, "c/a").error
        case .scan: bench.scan(id, Bench.collection("c")).error
        case .rollback: bench.rollback(id)
        }
    }

    @Test("texts and codes that clients match")
    func texts() {
        let expired = "The referenced transaction has expired or is no longer valid."
        #expect(TransactionError.expired.message == expired)
        #expect(TransactionError.expired.code == .aborted)
        #expect(TransactionError.expiredAfterFailure.message == expired)
        #expect(TransactionError.expiredAfterFailure.code == .invalidArgument)
        #expect(TransactionError.invalidTransaction.message == "Invalid transaction.")
        #expect(TransactionError.invalidTransaction.code == .invalidArgument)
        #expect(TransactionError.writesInReadOnly.message == "Cannot modify entities in a read-only transaction.")
        #expect(TransactionError.retryOfReadOnly.message == "Cannot retry a read-only transaction")
        #expect(
            TransactionError.tooMuchContention.message == "Too much contention on these documents. Please try again."
        )
        #expect(TransactionError.tooMuchContention.code == .aborted)
        #expect(
            TransactionError.contention.message
                == "Aborted due to cross-transaction contention. This occurs when multiple transactions attempt to "
                + "access the same data, requiring Firestore to abort at least one in order to enforce "
                + "serializability."
        )
        #expect(TransactionError.contention.code == .aborted)
    }

    // MARK: Time

    @Test("a call in time keeps a transaction from idling, but not beyond its lifetime")
    func limits() throws {
        let bench = try Bench()
        let id = try bench.holding("c/a")
        for _ in 0..<5 {
            bench.pass(seconds: 50)
            #expect(bench.read(id, "c/a").isSuccess)
        }
        bench.pass(seconds: 21)
        #expect(bench.read(id, "c/a").error == .expired)
        #expect(bench.rollback(id) == .expired)
    }

    @Test("the limit holds to the moment, whenever the tick comes")
    func limitWithoutTick() throws {
        let bench = try Bench()
        let id = try bench.holding("c/a")
        bench.server.clock.advance(microseconds: 59_999_999)
        #expect(bench.read(id, "c/a").isSuccess)
        bench.server.clock.advance(microseconds: 60_000_000)
        #expect(bench.read(id, "c/a").error == .expired)
    }

    @Test("expiry lets waiting writers go on")
    func expiryReleases() throws {
        let bench = try Bench()
        let id = try bench.holding("c/a")
        bench.pass(seconds: 45)
        let plain = bench.commit(nil, bench.set("c/a", 2))
        bench.pass(seconds: 16)
        #expect(plain.isSuccess)
        #expect(bench.commit(id, bench.set("c/a", 3)).error == .expired)
    }

    // MARK: Durability

    @Test("that a transaction was committed is said once the commit is durable, also when it changed nothing")
    func rollbackWaits() throws {
        for number in [Int64(1), 2] {
            let bench = try Bench()
            let plain = bench.commit(nil, bench.set("c/a", 1))
            let id = try bench.begin()
            let commit = bench.commit(id, bench.set("c/a", number))
            let rollback = bench.startRollback(id)
            #expect(!plain.isThere && !commit.isThere && !rollback.isThere)
            bench.settle()
            #expect(commit.isSuccess)
            #expect(rollback.error == .expired)
            let again = bench.startRollback(id)
            #expect(again.error == .expired)
        }
    }

    @Test("once the log has failed, only commits that were durable before are called committed")
    func rollbackAfterFailure() throws {
        let disk = SimulatedDisk(seed: 1)
        let bench = try Bench(disk: disk)
        let durable = try bench.begin()
        _ = bench.commit(durable, bench.set("c/a", 1))
        bench.settle()
        disk.faults.failedSyncs = 1_000
        let lost = try bench.begin()
        let commit = bench.commit(lost, bench.set("c/b", 1))
        let early = bench.startRollback(lost)
        bench.settle()
        // What the failure is answered with lies ready after it.
        bench.settle()
        let late = bench.startRollback(lost)
        #expect(commit.error?.code == .dataLoss)
        for error in [early.error, late.error] { #expect(error?.code == .unavailable) }
        #expect(bench.startRollback(durable).error == .expired)
    }

    @Test("a commit that changes nothing succeeds once what it found is durable, though the log fails then")
    func unchangingCommitBeforeFailure() throws {
        let disk = SimulatedDisk(seed: 1)
        let bench = try Bench(disk: disk)
        let holder = try bench.holding("c/a")
        let other = try bench.begin()
        let unchanging = bench.commit(other, bench.set("c/a", 7))
        // Its end lets the other go on, whose answer then lies in the mailbox.
        let commit = bench.commit(holder, bench.set("c/a", 7))
        #expect(bench.server.store.step())
        disk.faults.failedSyncs = 1_000
        let lost = bench.commit(nil, bench.set("c/b", 1))
        #expect(!bench.server.store.step() && bench.server.logHasFailed)
        #expect(!unchanging.isThere)
        bench.settle()
        #expect(commit.isSuccess && unchanging.isSuccess)
        #expect(lost.error?.code == .dataLoss)
        #expect(bench.startRollback(other).error == .expired)
    }

    @Test("a rollback of a durable commit says so, though the log loses another's", arguments: [false, true])
    func rollbackBesideLoss(_ isUnchanging: Bool) throws {
        let disk = SimulatedDisk(seed: 1)
        let bench = try Bench(disk: disk)
        _ = bench.commit(nil, bench.set("c/a", 7))
        bench.settle()
        let id = try bench.begin()
        // Too large for the other's group.
        let content = Value.MapEntry(key: "b", value: .bytes([UInt8](repeating: 1, count: 4 << 10)))
        let loss = Write(name: bench.name("c/b"), operation: .set(EncodedFields(encoding: [content])))
        let before = isUnchanging ? bench.commit(nil, loss) : nil
        let commit = bench.commit(id, bench.set("c/a", isUnchanging ? 7 : 8))
        let lost = before ?? bench.commit(nil, loss)
        let rollback = bench.startRollback(id)
        if !isUnchanging { #expect(bench.server.store.step()) }
        disk.faults.failedSyncs = 1_000
        #expect(!bench.server.store.step() && bench.server.logHasFailed)
        bench.settle()
        #expect(commit.isSuccess && lost.error?.code == .dataLoss)
        #expect(rollback.error == .expired)
        #expect(bench.startRollback(id).error == .expired)
    }

    // MARK: Retries

    @Test("a retry may name what was rolled back, committed, aborted or expired, but nothing unknown or read-only")
    func retryNames() throws {
        for past in [Past.committed, .rolledBack, .preconditionFailed, .victim, .idle, .idleAndPastLifetime] {
            let bench = try Bench()
            let id = try self.transaction(past, on: bench)
            let retry = try bench.begin(.readWrite(retry: id))
            #expect(retry != id)
            #expect(bench.read(retry, "c/b").isSuccess)
        }
        for past in [Past.forgotten, .neverIssued, .otherDatabase] {
            let bench = try Bench()
            let id = try self.transaction(past, on: bench)
            #expect(throws: TransactionError.invalidTransaction) { try bench.begin(.readWrite(retry: id)) }
        }
        let bench = try Bench()
        let readOnly = try bench.begin(.readOnly())
        #expect(throws: TransactionError.retryOfReadOnly) { try bench.begin(.readWrite(retry: readOnly)) }
        #expect(bench.rollback(readOnly) == nil)
        #expect(throws: TransactionError.retryOfReadOnly) { try bench.begin(.readWrite(retry: readOnly)) }
    }

    @Test("ids keep their bytes, and other lengths are no ids")
    func bytes() throws {
        let bench = try Bench()
        let id = try bench.begin()
        #expect(id.bytes.count == 16)
        #expect(TransactionID(bytes: id.bytes) == id)
        for count in [0, 1, 15, 17] { #expect(TransactionID(bytes: Array(repeating: 1, count: count)) == nil) }
    }

    @Test("a commit that was refused before its writes could be looked at ends the transaction like any failed one")
    func refusedBefore() throws {
        let bench = try Bench()
        let id = try bench.holding("c/a")
        let plain = bench.commit(nil, bench.set("c/a", 2))
        bench.transactions.failCommit(transaction: id, database: bench.database)
        bench.settle()
        #expect(plain.isSuccess)
        #expect(bench.commit(id, bench.set("c/a", 3)).error == .expiredAfterFailure)
        #expect(bench.rollback(id) == nil)
    }
}
