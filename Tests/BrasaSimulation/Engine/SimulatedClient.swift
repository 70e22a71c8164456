import BrasaDocuments
import BrasaPlatform
import BrasaQueries
import BrasaStore
import BrasaTransactions

/// One client: it has one conversation at a time, of which each answer leads to the next call.
final class SimulatedClient: @unchecked Sendable {
    // Sendable, because one thread runs the simulation.

    unowned let simulation: EngineSimulation
    let mailbox: SimulatedMailbox
    private(set) var isBusy = false
    /// A commit that waits for locks, if that is what the client does.
    private var waiting: WaitingCommit?
    /// What it does when it has thought long enough.
    private var next: (() throws -> Void)?
    private var isPausing = false

    private struct WaitingCommit {
        let ticket: RequestTicket
        let call: Int
        let asked: Int
        let transaction: TransactionID?
    }

    init(_ simulation: EngineSimulation) {
        self.simulation = simulation
        self.mailbox = simulation.server.scheduler.mailbox()
    }

    var server: SimulatedServer { self.simulation.server }
    var checker: SimulationChecker { self.simulation.checker }

    func begin() throws {
        self.isBusy = true
        // Those that lock nothing are the ones that what is forgotten can mislead.
        let isOptimistic = self.simulation.pressure.isHigh && self.random(4) == 0
        switch isOptimistic ? 70 : self.random(100) {
        case ..<8: self.countUp()
        case ..<14: self.move()
        case ..<24: try RuledCommit(self, forgetsReads: self.simulation.forgetsRuleReads).run()
        case ..<30: self.commitPlainly()
        case ..<38: self.writeBatch()
        case ..<46: try QueueWorker(self).goOn()
        case ..<70: try ClientTransaction(self, attempt: 1, concurrency: .pessimistic).begin()
        case ..<78: try ClientTransaction(self, attempt: 1, concurrency: .optimistic).begin()
        case ..<86: try ReadOnlyConversation(self).begin()
        case ..<94: try self.readStrongly()
        default: try self.readPast()
        }
    }

    /// The client takes its time, while others go on and what it has seen grows old.
    func think(_ next: @escaping () throws -> Void) {
        self.next = next
    }

    /// The same for one turn of others.
    func pause(_ next: @escaping () throws -> Void) {
        self.next = next
        self.isPausing = true
    }

    var isThinking: Bool { self.next != nil }

    func goOn() throws {
        guard self.next != nil, self.isPausing || self.random(16) == 0 else { return }
        self.isPausing = false
        try self.next.take()?()
    }

    func finish() {
        self.isBusy = false
        self.waiting = nil
    }

    func random(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &self.simulation.random) }

    /// A reply that is expected exactly once.
    func reply<Value>(
        _ what: String,
        _ then: @escaping (Result<Value, TransactionError>) throws -> Void
    ) -> Reply<Value> {
        let call = self.simulation.expectAnswer(to: what)
        let then = OneThread(then)
        // Unowned, because a server that is part of the simulation keeps the calls that a crash left unanswered.
        return Reply(mailbox: self.mailbox) { [unowned simulation = self.simulation] result in
            simulation.catching {
                try simulation.answered(call)
                try then.value(result)
            }
        }
    }

    // MARK: Writes

    func randomWrites(_ documents: [Int]) -> [ModelWrite] {
        documents.map { document in
            let operation: ModelWrite.Operation
            switch self.random(100) {
            case ..<15: operation = self.simulation.pressure.isHigh ? .delete : .set(number: Int64(self.random(1_000)))
            case ..<45: operation = .set(number: Int64(self.random(1_000)))
            case ..<70: operation = .increment(Int64(self.random(5)) - 1)
            case ..<90: operation = .delete
            case ..<95:
                let latest = self.checker.timeline.document(document, at: .max)
                operation = .restore(number: latest?.number ?? 0, writer: latest?.writer ?? 0)
            default: operation = .verify
            }
            let precondition = self.randomPrecondition(document)
            return ModelWrite(
                document: document,
                operation: operation,
                writer: self.simulation.nextWriter(),
                precondition: precondition
            )
        }
    }

    private func randomPrecondition(_ document: Int) -> Precondition? {
        switch self.random(100) {
        case ..<70: nil
        case ..<82: .exists(true)
        case ..<92: .exists(false)
        default:
            self.checker.timeline.document(document, at: .max)
                .map { .updateTime(Timestamp(microseconds: $0.updateTime)) }
        }
    }

    /// Often the hot document.
    func randomDocuments(_ countMax: Int, distinct: Bool = false) -> [Int] {
        let documents = (0...self.random(countMax)).map { _ in
            self.random(4) == 0 ? ModelWorld.shared.count - 1 : self.random(ModelWorld.shared.count)
        }
        guard distinct else { return documents }
        var seen: Set<Int> = []
        return documents.filter { seen.insert($0).inserted }
    }

    /// `then` gets nil for success.
    func commit(
        _ writes: [ModelWrite],
        in transaction: TransactionID? = nil,
        reads: ModelReads = ModelReads(),
        judgedOn prospect: CommitProspect? = nil,
        _ then: @escaping (TransactionError?) throws -> Void
    ) {
        let id = self.checker.ask(writes, reads: reads, isJudged: prospect != nil)
        let (asked, step) = (self.simulation.now, self.simulation.step)
        let reply: Reply<CommitResult> = self.reply("commit") { result in
            switch result {
            case .success(let result):
                try self.checker.acknowledge(id, result.commitTime, result.results)
                try then(nil)
            case .failure(.outdated):
                self.checker.takeBack(id, asOutdated: true)
                try then(.outdated)
            case .failure(let error):
                try self.simulation.checkRefusal(error, asked: step)
                try self.checker.refuse(
                    id,
                    error,
                    waited: self.simulation.now - asked,
                    inTransaction: transaction != nil,
                    logFailed: self.simulation.logFailed
                )
                try then(error)
            }
        }
        let call = self.simulation.lastCall
        let database = self.simulation.database
        let ticket = self.server.transactions.commit(
            database: database,
            transaction: transaction,
            writes: writes.map { $0.write(in: database.name) },
            prospect: prospect,
            reply: reply
        )
        self.waiting = ticket.map { WaitingCommit(ticket: $0, call: call, asked: id, transaction: transaction) }
    }

    /// The client hangs up on a commit. If that was in time, it is never applied and never answered.
    func hangUp() throws {
        guard let waiting = self.waiting.take() else { return }
        guard self.server.transactions.cancel(waiting.ticket) else { return }
        try self.simulation.answered(waiting.call)
        self.checker.takeBack(waiting.asked)
        if let id = waiting.transaction {
            let reply: Reply<Void> = self.reply("rollback") { try $0.get() }
            self.server.transactions.rollback(transaction: id, database: self.simulation.database, reply: reply)
        }
        self.finish()
    }

    /// A commit that nothing may refuse but locks of transactions that were left open.
    func writeOnce(attemptsLeft: Int = 8) throws {
        self.isBusy = true
        let write = ModelWrite(document: 0, operation: .set(number: 1), writer: self.simulation.nextWriter())
        self.commit([write]) { error in
            if case .tooMuchContention = error, attemptsLeft > 0 {
                return try self.writeOnce(attemptsLeft: attemptsLeft - 1)
            }
            if let error { throw SimulationFailure(.space, "the last commit: \(error)") }
            self.finish()
        }
    }

    /// Changes what a rule says to others.
    private func move() {
        let operation = ModelWrite.Operation.set(number: Int64(self.random(1_000)))
        let writer = self.simulation.nextWriter()
        self.commit([ModelWrite(document: RuledCommit.guarding, operation: operation, writer: writer)]) { _ in
            self.finish()
        }
    }

    private func commitPlainly() {
        self.commit(self.randomWrites(self.randomDocuments(3))) { _ in self.finish() }
    }

    /// Once, however often that takes. UNAVAILABLE and RESOURCE_EXHAUSTED invite to ask again, now or in another life of the
    /// server; official clients accept.
    private func countUp() {
        let write =
            self.simulation.popInvitation()
            ?? ModelWrite(document: ModelWorld.counter, operation: .increment(1), writer: self.simulation.nextWriter())
        self.commit([write]) { error in
            if error?.code == .unavailable || error?.code == .resourceExhausted { self.simulation.invite(write) }
            self.finish()
        }
    }

    private func writeBatch() {
        let writes = self.randomWrites(self.randomDocuments(4, distinct: true))
        let ids = writes.map { self.checker.ask([$0]) }
        let (asked, step) = (self.simulation.now, self.simulation.step)
        let reply: Reply<[Result<WriteResult, TransactionError>]> = self.reply("batch") { results in
            for (id, result) in zip(ids, try results.get()) {
                switch result {
                case .success(let result): try self.checker.acknowledge(id, result)
                case .failure(let error):
                    try self.simulation.checkRefusal(error, asked: step)
                    try self.checker.refuse(
                        id,
                        error,
                        waited: self.simulation.now - asked,
                        inTransaction: false,
                        logFailed: self.simulation.logFailed
                    )
                }
            }
            self.finish()
        }
        let database = self.simulation.database
        self.server.transactions.batchWrite(
            database: database,
            writes: writes.map { .success($0.write(in: database.name)) },
            reply: reply
        )
    }

    // MARK: Plain reads

    private func readStrongly() throws {
        let time = self.server.store.strongReadTime()
        try self.read(self.randomDocuments(3), at: time, isStrong: true)
        try self.scan(self.random(ModelWorld.scans.count), at: time, isStrong: true)
        try self.query(self.random(ModelQuery.count), at: time, isStrong: true)
        self.finish()
    }

    private func readPast() throws {
        let time = self.pastTime()
        try self.read(self.randomDocuments(3), at: time, isStrong: false)
        try self.scan(self.random(ModelWorld.scans.count), at: time, isStrong: false)
        try self.query(self.random(ModelQuery.count), at: time, isStrong: false)
        self.finish()
    }

    /// Near one of the latest commits.
    func pastTime() -> Timestamp {
        let store = self.server.store
        let oldest = store.oldestReadTime(in: self.simulation.database).microseconds
        let newest = store.strongReadTime().microseconds
        let times = self.checker.timeline.times.suffix(50)
        let near = (times.randomElement(using: &self.simulation.random) ?? newest) - Int64(self.random(2))
        return Timestamp(microseconds: min(max(near, oldest), newest))
    }

    private func read(_ documents: [Int], at time: Timestamp, isStrong: Bool) throws {
        var seen: [(document: Int, value: ModelDocument?)] = []
        for index in documents {
            let document = try self.server.store.get(
                ModelWorld.paths[index],
                in: self.simulation.database,
                at: time
            )
            seen.append((index, document.flatMap(ModelWorld.document)))
        }
        try self.checker.checkRead(seen, at: time, isStrong: isStrong)
    }

    /// Scans and checks; gives what every document of the range was.
    @discardableResult
    func scan(_ index: Int, at time: Timestamp, isStrong: Bool) throws -> [Int: ModelDocument?] {
        let (range, documents) = ModelWorld.scans[index]
        let isDescending = self.random(2) == 0
        var scan = try self.server.store.scan(
            range,
            in: self.simulation.database,
            at: time,
            descending: isDescending
        )
        var found: [(document: Int, value: ModelDocument?)] = []
        while true {
            let entries = try scan.next(2)
            if entries.isEmpty { break }
            for entry in entries {
                guard let index = ModelWorld.index(of: entry.path) else {
                    throw SimulationFailure(.visibility, "a scan found \(entry.path)")
                }
                found.append((index, entry.document.flatMap(ModelWorld.document)))
            }
        }
        let order = found.map(\.document)
        guard order == (isDescending ? order.sorted(by: >) : order.sorted()), Set(order).count == order.count,
            order.allSatisfy(documents.contains)
        else { throw SimulationFailure(.visibility, "a scan of \(documents) gave \(order)") }
        let values = Dictionary(uniqueKeysWithValues: found.map { ($0.document, $0.value) })
        let seen = documents.map { (document: $0, value: values[$0] ?? nil) }
        try self.checker.checkRead(seen, at: time, isStrong: isStrong)
        return Dictionary(uniqueKeysWithValues: seen.map { ($0.document, $0.value) })
    }
}

extension SimulatedClient {
    /// Runs a query up to its limit, on an index if there is one, and checks what it finds.
    @discardableResult
    func query(_ index: Int, at time: Timestamp, isStrong: Bool) throws -> [ModelQuery.Result] {
        let query = self.checker.queries[index].query
        let limit = query.limit ?? .max
        var scan = try self.server.store.query(query, in: self.simulation.database, at: time)
        var found: [ModelQuery.Result] = []
        while found.count < limit, !scan.isAtEnd {
            for entry in try scan.next(min(limit - found.count, 2)) {
                guard let index = ModelWorld.index(of: entry.path), let value = ModelWorld.document(entry.document)
                else { throw SimulationFailure(.visibility, "a query found \(entry.path)") }
                found.append(ModelQuery.Result(document: index, value: value))
            }
        }
        self.simulation.noteQuery(scan)
        try self.checker.checkQuery(index, found, at: time, isStrong: isStrong)
        return found
    }
}

/// Crosses a `@Sendable` closure that never leaves the simulation's thread.
struct OneThread<Value>: @unchecked Sendable {
    let value: Value
    init(_ value: Value) { self.value = value }
}
