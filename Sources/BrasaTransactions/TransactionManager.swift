package import BrasaDocuments
package import BrasaPlatform
package import BrasaQueries
package import BrasaStore
import Synchronization

/// The one door for writes: begins, reads in, commits and ends transactions, and takes commits that have none.
///
/// What needs neither documents nor locks is done here, before and after: the checks of what a request says, and the
/// answers. Everything else is the section's, which its mutex owns: one visit of it decides one operation to its end. Store's
/// and the log's own locks may be taken there, never the other way round.
///
/// A commit that got its locks is evaluated on Store's latest state, applied in memory and lets go at once, before it is
/// durable. Others may build on it: a commit's record follows in the log, so it is durable only after it. What only
/// *shows* state waits for the log to reach that state: transactional reads, failed preconditions and commits that
/// change nothing, unless they have a witness.
package final class TransactionManager: Sendable {
    private let section: Mutex<WriterSection>
    let clock: Clock
    let store: Store
    package let configuration: TransactionConfiguration

    package init(
        store: Store,
        clock: Clock,
        entropy: Entropy,
        configuration: TransactionConfiguration = .init()
    ) {
        self.section = Mutex(WriterSection(store: store, entropy: entropy, configuration: configuration))
        self.clock = clock
        self.store = store
        self.configuration = configuration
    }

    /// Runs one operation in the section, grants what it set free, leaves, and then gives the answers.
    @discardableResult
    func visit<Value: Sendable>(_ operation: @Sendable (inout WriterSection, inout Visit) -> Value) -> Value {
        let (value, visit) = self.section.withLock { section in
            var visit = Visit(now: self.clock.monotonic())
            let value = operation(&section, &visit)
            section.grantWaiting(&visit)
            return (value, visit)
        }
        visit.giveAnswers()
        return value
    }

    /// The same; returns the ticket of the request that was left waiting, if it was.
    private func waitable(_ operation: @Sendable (inout WriterSection, inout Visit) -> Void) -> RequestTicket? {
        self.visit { section, visit in
            operation(&section, &visit)
            return visit.ticket
        }
    }

    // MARK: Transactions

    package func begin(
        database: DatabaseHandle,
        mode: TransactionMode
    ) throws(TransactionError) -> TransactionID {
        let result: Result<TransactionID, TransactionError> = self.visit { section, visit in
            do throws(TransactionError) {
                return .success(try section.begin(mode, in: database, visit))
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    /// That there is nothing to roll back any more because it was committed is said once that is durable: clients that lost
    /// the commit's answer take this one for it.
    package func rollback(transaction id: TransactionID, database: DatabaseHandle, reply: Reply<Void>) {
        self.visit { section, visit in section.rollback(id, in: database, reply, &visit) }
    }

    /// Ends a transaction whose commit was refused before it came here.
    package func failCommit(transaction id: TransactionID, database: DatabaseHandle) {
        self.visit { section, visit in section.failCommit(of: id, in: database, &visit) }
    }

    /// What time brings: requests that waited too long, transactions whose time is up, endings to forget. A background
    /// step, to be called a few times a second.
    package func tick() {
        self.visit { section, visit in section.tick(&visit) }
    }

    // MARK: Commits

    /// Applies all writes or none, at one time. Without a transaction it waits for the locks of open ones like any of
    /// them; the ticket that is returned then takes it back. A witness is for commits without a transaction, and so is
    /// keeping the first document in the result. A commit that was judged has the prospect of these writes; if that is not
    /// what would happen any more the answer is `outdated`, and nothing has happened.
    @discardableResult
    package func commit(
        database: DatabaseHandle,
        transaction id: TransactionID?,
        writes: [Write],
        prospect: CommitProspect? = nil,
        witness: (any CommitWitness)? = nil,
        keepsDocument: Bool = false,
        reply: Reply<CommitResult>
    ) -> RequestTicket? {
        let order = CommitOrder(
            writes,
            in: database,
            refusal: prospect == nil ? self.configuration.refusal(of: writes, in: self.store) : nil,
            prospect: prospect,
            witness: witness,
            keepsDocument: keepsDocument,
            reply: reply
        )
        return self.waitable { section, visit in section.commit(order, of: id, &visit) }
    }

    /// Takes a request out of its queues if it still waits there: nobody wants its answer any more, and it gets none. A
    /// transaction lives on after a read of it was taken back, and ends with a commit. False when it was too late.
    @discardableResult
    package func cancel(_ ticket: RequestTicket) -> Bool {
        self.visit { section, visit in section.cancel(ticket.request, &visit) }
    }

    /// Deletes all documents of a database and ends its open transactions, whatever they hold. The answer is the time from
    /// which on nothing is there.
    ///
    /// Others may commit between the steps. The last one deletes what they wrote and everything that is left, under the
    /// lock; it reads all names that were there and writes little.
    package func clear(database: DatabaseHandle, reply: Reply<Timestamp>) {
        var position: Store.ClearPosition? = .start
        while let from = position {
            let step = self.visit { section, visit in section.clear(database, from: from, &visit) }
            switch step {
            case .success(let next): position = next
            case .failure(let error): return reply.complete(.failure(error))
            }
        }
        self.visit { section, visit in section.clearRest(of: database, reply, &visit) }
    }

    // MARK: Reads

    /// Reads documents in a transaction, which locks them unless it reads from a snapshot.
    @discardableResult
    package func read(
        transaction id: TransactionID,
        database: DatabaseHandle,
        paths: [ResourcePath],
        reply: Reply<ReadResult>
    ) -> RequestTicket? {
        self.waitable { section, visit in section.read(paths, in: database, by: id, reply, &visit) }
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
        self.waitable { section, visit in section.scan(range, in: database, by: id, reply, &visit) }
    }

    /// A scan that stopped early, at its limit, has seen only `range`, a part of what it asked for; others may write beyond
    /// it.
    package func narrowScan(
        transaction id: TransactionID,
        database: DatabaseHandle,
        _ grant: ScanGrant,
        to range: QueryRange
    ) {
        self.visit { section, visit in section.narrowScan(grant, to: range, in: database, by: id, &visit) }
    }
}
