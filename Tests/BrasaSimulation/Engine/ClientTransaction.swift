import BrasaDocuments
import BrasaPlatform
import BrasaQueries
import BrasaStore
import BrasaTransactions

/// A read-write transaction as a client library runs it: some reads, then a commit, again from the start when it is
/// aborted; sometimes rolled back or left alone.
final class ClientTransaction: @unchecked Sendable {
    // Sendable, because one thread runs the simulation.

    private static let attemptsMax = 5

    private let client: SimulatedClient
    private let attempt: Int
    private let concurrency: TransactionMode.Concurrency
    private let first: TransactionID?
    /// What queries found is validated by what was committed since, which hides what the validation of documents misses.
    private let readsDocumentsOnly: Bool
    private var reads = ModelReads()
    /// The newest durable commit when it began to read.
    private var since: Int64 = .min
    private var begun = MonotonicTime(sinceStart: .zero)
    private var unanswered = 0
    private var hasFailed = false

    init(
        _ client: SimulatedClient,
        attempt: Int,
        concurrency: TransactionMode.Concurrency,
        first: TransactionID? = nil
    ) {
        self.client = client
        self.attempt = attempt
        self.concurrency = concurrency
        self.first = first
        self.readsDocumentsOnly = concurrency == .optimistic && client.random(4) > 0
    }

    private var simulation: EngineSimulation { self.client.simulation }
    private var transactions: TransactionManager { self.client.server.transactions }

    func begin() throws {
        do throws(TransactionError) {
            let id = try self.transactions.begin(
                database: self.simulation.database,
                mode: .readWrite(retry: self.first, concurrency: self.concurrency)
            )
            self.since = self.client.checker.lastDurable
            self.begun = self.simulation.now
            self.read(id, left: self.client.random(4))
        } catch {
            // The first attempt may be forgotten, or there are too many.
            self.client.finish()
        }
    }

    // MARK: Reading

    private func read(_ id: TransactionID, left: Int) {
        if self.client.random(self.simulation.pressure.isHigh ? 4 : 12) == 0 {
            self.client.think { self.readOn(id, left: left) }
        } else {
            self.readOn(id, left: left)
        }
    }

    private func readOn(_ id: TransactionID, left: Int) {
        guard left > 0 else { return self.end(id) }
        self.unanswered = self.client.random(5) == 0 ? 2 : 1
        for _ in 0..<self.unanswered {
            switch self.client.random(10) {
            case _ where self.readsDocumentsOnly: self.readDocuments(id, left: left)
            case ..<2: self.scan(id, left: left)
            case ..<5: self.query(id, left: left)
            default: self.readDocuments(id, left: left)
            }
        }
    }

    private func readDocuments(_ id: TransactionID, left: Int) {
        let documents = self.client.randomDocuments(2, distinct: true)
        let reply: Reply<ReadResult> = self.client.reply("read") { result in
            if case .success(let result) = result {
                let values = result.documents.map { $0.flatMap(ModelWorld.document) }
                let seen = zip(documents, values).map { (document: $0, value: $1) }
                try self.client.checker.checkRead(seen, at: result.readTime, isStrong: false)
                try self.note(seen)
            }
            try self.answered(result.map { _ in }, id, left: left)
        }
        self.transactions.read(
            transaction: id,
            database: self.simulation.database,
            paths: documents.map { ModelWorld.paths[$0] },
            reply: reply
        )
    }

    private func scan(_ id: TransactionID, left: Int) {
        let index = self.client.random(ModelWorld.scans.count)
        let reply: Reply<ScanGrant> = self.client.reply("scan") { result in
            let outcome = try self.reading(result) { grant in
                let seen = try self.client.scan(index, at: grant.readTime, isStrong: false)
                try self.note(seen.map { (document: $0.key, value: $0.value) })
            }
            try self.answered(outcome, id, left: left)
        }
        self.transactions.scan(
            transaction: id,
            database: self.simulation.database,
            range: QueryRange(names: ModelWorld.scans[index].range),
            reply: reply
        )
    }

    private func query(_ id: TransactionID, left: Int) {
        let index = self.client.random(ModelQuery.count)
        let query = self.client.checker.queries[index].query
        let reply: Reply<ScanGrant> = self.client.reply("query") { result in
            let outcome = try self.reading(result) { grant in
                let results = try self.client.query(index, at: grant.readTime, isStrong: false)
                if let limit = query.limit, results.count == limit, let last = results.last {
                    self.narrow(id, grant, query, to: last)
                }
                if let before = self.reads.queries[index], before != results {
                    throw SimulationFailure(.consistency, "query \(index) changed between two reads")
                }
                self.reads.queries[index] = results
                try self.note(results.map { (document: $0.document, value: $0.value) })
            }
            try self.answered(outcome, id, left: left)
        }
        self.transactions.scan(
            transaction: id,
            database: self.simulation.database,
            range: QueryRange(query),
            reply: reply
        )
    }

    /// Under pressure the history that a scan was granted may be gone when it begins.
    private func reading(
        _ result: Result<ScanGrant, TransactionError>,
        _ body: (ScanGrant) throws -> Void
    ) throws -> Result<Void, TransactionError> {
        do {
            if case .success(let grant) = result { try body(grant) }
            return result.map { _ in }
        } catch let error as StoreError where error.code == .readTimeTooOld {
            return .failure(.readTimeTooOld)
        }
    }

    private func narrow(_ id: TransactionID, _ grant: ScanGrant, _ query: Query, to last: ModelQuery.Result) {
        let fields = ModelWorld.fields(number: last.value.number, writer: last.value.writer)
        let key = query.order.key(path: ModelWorld.paths[last.document], fields: fields)
        self.transactions.narrowScan(
            transaction: id,
            database: self.simulation.database,
            grant,
            to: QueryRange(query, through: key)
        )
    }

    private func note(_ seen: [(document: Int, value: ModelDocument?)]) throws {
        for (document, value) in seen {
            if let before = self.reads.documents[document], before != value {
                throw SimulationFailure(.consistency, "\(ModelWorld.names[document]) changed between two reads")
            }
            self.reads.documents[document] = .some(value)
        }
        try self.client.checker.checkConsistency(self.reads, since: self.since)
    }

    private func answered(_ result: Result<Void, TransactionError>, _ id: TransactionID, left: Int) throws {
        self.unanswered -= 1
        if case .failure(let error) = result {
            try self.check(error)
            self.hasFailed = true
        }
        guard self.unanswered == 0 else { return }
        if self.hasFailed {
            self.rollBack(id)
            self.client.finish()
        } else {
            self.read(id, left: left - 1)
        }
    }

    private func check(_ error: TransactionError) throws {
        switch error {
        case .tooMuchContention, .expired, .exhausted, .readTimeTooOld: break
        case .unavailable where self.simulation.logFailed: break
        case .invalidTransaction where self.isForgotten: break
        default: throw SimulationFailure(.refusal, "a read: \(error)")
        }
    }

    /// Time jumped past all that is remembered.
    private var isForgotten: Bool { self.simulation.now - self.begun >= .seconds(300) }

    // MARK: Ending

    private func end(_ id: TransactionID) {
        switch self.client.random(100) {
        case ..<3: self.client.finish()
        case ..<16:
            self.rollBack(id)
            self.client.finish()
        case ..<26: self.commitNothing(id)
        default:
            self.client.commit(self.writes(), in: id, reads: self.reads) { error in
                try self.committed(id, error)
            }
        }
    }

    private func writes() -> [ModelWrite] {
        let known = self.reads.documents.keys.sorted().filter { _ in self.client.random(3) > 0 }
        let increments = known.map { document in
            let number = (self.reads.documents[document] ?? nil)?.number ?? 0
            return ModelWrite(
                document: document,
                operation: .set(number: number + 1),
                writer: self.simulation.nextWriter()
            )
        }
        let others = self.client.randomWrites(self.client.randomDocuments(2)) + self.countingWrites()
        return increments.isEmpty || self.client.random(4) == 0 ? increments + others : increments
    }

    /// Some document becomes as many as a query has found: two that did this side by side could each be right alone only.
    private func countingWrites() -> [ModelWrite] {
        self.reads.queries.sorted { $0.key < $1.key }.map { _, results in
            ModelWrite(
                document: self.client.random(ModelWorld.shared.count),
                operation: .set(number: Int64(results.count) * 400),
                writer: self.simulation.nextWriter()
            )
        }
    }

    private func committed(_ id: TransactionID, _ error: TransactionError?) throws {
        guard let error else { return self.client.finish() }
        self.rollBack(id)
        guard error.code == .aborted, self.attempt < Self.attemptsMax, self.client.random(10) > 0 else {
            return self.client.finish()
        }
        let next = ClientTransaction(
            self.client,
            attempt: self.attempt + 1,
            concurrency: self.concurrency,
            first: self.first ?? id
        )
        try next.begin()
    }

    private func commitNothing(_ id: TransactionID) {
        let reply: Reply<CommitResult> = self.client.reply("empty commit") { result in
            if case .failure(let error) = result, error != .expired, !self.isForgotten {
                throw SimulationFailure(.refusal, "a commit without writes: \(error)")
            }
            self.client.finish()
        }
        self.transactions.commit(
            database: self.simulation.database,
            transaction: id,
            writes: [],
            reply: reply
        )
    }

    /// Clients roll back after every failure, and must not fail at that, whatever ended the transaction. Once the log has
    /// failed nobody is told of a commit that it is there after hearing that it is not.
    private func rollBack(_ id: TransactionID) {
        let reply: Reply<Void> = self.client.reply("rollback") { result in
            guard case .failure(let error) = result else { return }
            let isOld = self.simulation.now - self.begun >= .seconds(270)
            switch error {
            case .unavailable where self.simulation.logFailed: break
            case .expired where isOld, .invalidTransaction where isOld: break
            default: throw SimulationFailure(.refusal, "a rollback: \(error)")
            }
        }
        self.transactions.rollback(transaction: id, database: self.simulation.database, reply: reply)
    }
}

/// A read-only transaction: everything that it reads is of one time, however long it takes.
final class ReadOnlyConversation: @unchecked Sendable {
    // Sendable, because one thread runs the simulation.

    private let client: SimulatedClient
    private var readTime: Timestamp?

    init(_ client: SimulatedClient) {
        self.client = client
    }

    func begin() throws {
        let store = self.client.server.store
        let oldest = store.oldestReadTime(in: self.client.simulation.database).microseconds
        let times = self.client.checker.timeline.times.suffix(20).filter { $0 >= oldest }
        var time: Timestamp?
        if self.client.random(2) == 0, let past = times.randomElement(using: &self.client.simulation.random) {
            time = Timestamp(microseconds: past)
        }
        let id = try self.client.server.transactions.begin(
            database: self.client.simulation.database,
            mode: .readOnly(readTime: time)
        )
        self.readTime = time
        self.read(id, left: 1 + self.client.random(3))
    }

    private func read(_ id: TransactionID, left: Int) {
        let database = self.client.simulation.database
        guard left > 0 else {
            let reply: Reply<CommitResult> = self.client.reply("read-only commit") { result in
                if case .failure(let error) = result, ![.expired, .invalidTransaction].contains(error) {
                    throw SimulationFailure(.refusal, "a read-only commit: \(error)")
                }
                self.client.finish()
            }
            self.client.server.transactions.commit(
                database: database,
                transaction: id,
                writes: [],
                reply: reply
            )
            return
        }
        let documents = self.client.randomDocuments(4)
        let reply: Reply<ReadResult> = self.client.reply("read-only read") { result in
            switch result {
            case .failure(let error):
                guard [.expired, .readTimeTooOld, .invalidTransaction].contains(error) else {
                    throw SimulationFailure(.refusal, "a read-only read: \(error)")
                }
                self.client.finish()
            case .success(let result):
                guard self.readTime == nil || self.readTime == result.readTime else {
                    throw SimulationFailure(.consistency, "a read-only transaction read at two times")
                }
                self.readTime = result.readTime
                let values = result.documents.map { $0.flatMap(ModelWorld.document) }
                try self.client.checker.checkRead(
                    zip(documents, values).map { (document: $0, value: $1) },
                    at: result.readTime,
                    isStrong: false
                )
                self.read(id, left: left - 1)
            }
        }
        self.client.server.transactions.read(
            transaction: id,
            database: database,
            paths: documents.map { ModelWorld.paths[$0] },
            reply: reply
        )
    }
}
