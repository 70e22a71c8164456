import BrasaDocuments
import BrasaMessages
package import BrasaPlatform
import BrasaQueries
package import BrasaStore
package import BrasaTransactions
package import BrasaWatch
package import NIOCore

/// Answers the methods of `google.firestore.v1.Firestore` on one event loop: checks, asks the engine, answers. One
/// instance per loop, so that every completion comes back to the call's own loop.
package final class FirestoreService: Sendable {
    let store: Store
    let transactions: TransactionManager
    let mailbox: any Mailbox
    package let eventLoop: any EventLoop
    let turns: LoopTurns
    let entropy: Entropy
    /// Of the same loop.
    package let watcher: Watcher
    let plans = PlanCache()
    let queries = RecentRequests<Query>()
    let aggregations = RecentRequests<AggregationQuery>()
    /// Of all loops.
    let writeStreams: WriteStreamTable
    let rules: LoopRules
    let listeners: JudgedListeners
    private let lastDatabase = LastDatabase()

    package init(
        store: Store,
        transactions: TransactionManager,
        mailbox: any Mailbox,
        eventLoop: any EventLoop,
        look: any SocketLook,
        entropy: Entropy,
        watcher: Watcher,
        writeStreams: WriteStreamTable,
        rules: RuleBook = RuleBook()
    ) {
        self.store = store
        self.transactions = transactions
        self.mailbox = mailbox
        self.eventLoop = eventLoop
        self.turns = LoopTurns(eventLoop, look)
        self.entropy = entropy
        self.watcher = watcher
        self.writeStreams = writeStreams
        self.rules = LoopRules(rules)
        self.listeners = JudgedListeners(self.rules)
    }

    /// How many writes a Commit and a message of a Write stream may have, and a BatchWrite.
    package var commitWritesMax: Int { self.transactions.configuration.commitWritesMax }
    package var batchWritesMax: Int { self.transactions.configuration.batchWritesMax }

    /// To be called once a second on the service's event loop: listeners who may not go on by newer rules are told.
    package func judgeListeners() { self.listeners.tick(on: self.mailbox) }

    func database(_ name: DatabaseName) -> DatabaseHandle {
        self.eventLoop.assertInEventLoop()
        return self.lastDatabase.handle(name, in: self.store)
    }

    /// Takes a request that waits for locks back when its caller is gone.
    func cancel<Response>(_ ticket: RequestTicket?, with call: Call<Response>) {
        guard let ticket else { return }
        call.onCancel { self.transactions.cancel(ticket) }
    }

    /// The same for what writes: that part of it which can no longer be taken back has an open outcome.
    func settle<Response>(_ ticket: RequestTicket?, with call: Call<Response>) {
        guard !call.isFinished else { return }
        call.hasOpenOutcome = true
        guard let ticket else { return }
        call.onCancel { if self.transactions.cancel(ticket) { call.hasOpenOutcome = false } }
    }

    /// The same for a batch: it is answered when all of its outcomes are known once what waits for locks was taken back.
    func settle<Response>(_ ticket: BatchTicket?, with call: Call<Response>) {
        guard !call.isFinished else { return }
        call.hasOpenOutcome = true
        guard let ticket else { return }
        call.onCancel { self.transactions.cancel(ticket) }
    }

    func reply<Value: Sendable>(
        _ complete: @escaping @Sendable (Result<Value, TransactionError>) -> Void
    ) -> Reply<Value> {
        Reply(mailbox: self.mailbox, complete: complete)
    }
}

extension Call {
    /// What the engine answered; nil when it was an error and the call is finished with it.
    func value<Value>(_ result: Result<Value, TransactionError>) -> Value? {
        switch result {
        case .success(let value): return value
        case .failure(let error):
            self.finish(Status(error))
            return nil
        }
    }
}
