import BrasaDocuments
import BrasaPlatform
import BrasaQueries
import BrasaSimulation
import BrasaStore
import BrasaTransactions
import Synchronization
import Testing

/// What one call was answered so far.
final class Answer<Value: Sendable>: Sendable {
    private let state = Mutex<[Result<Value, TransactionError>]>([])

    func reply(on mailbox: any Mailbox) -> Reply<Value> {
        Reply(mailbox: mailbox) { result in self.state.withLock { $0.append(result) } }
    }

    var isThere: Bool { self.state.withLock { !$0.isEmpty } }
    var count: Int { self.state.withLock { $0.count } }

    /// Nil while there is none.
    var error: TransactionError? {
        guard case .failure(let error) = self.state.withLock({ $0.first }) else { return nil }
        return error
    }

    var value: Value {
        get throws { try #require(self.state.withLock { $0.first }).get() }
    }

    var isSuccess: Bool {
        if case .success = self.state.withLock({ $0.first }) { true } else { false }
    }
}

/// One database on a simulated server, with calls in terms of short paths and numbers.
struct Bench {
    let server: SimulatedServer
    let database: DatabaseHandle
    let mailbox: SimulatedMailbox

    init(
        configuration: TransactionConfiguration = TransactionConfiguration(),
        store: Store.Configuration = SimulatedServer.smallStore,
        disk: SimulatedDisk = SimulatedDisk(seed: 1)
    ) throws {
        self.server = try SimulatedServer(
            seed: 1,
            disk: disk,
            clock: SimulatedClock(),
            store: store,
            transactions: configuration
        )
        self.database = self.server.database()
        self.mailbox = self.server.scheduler.mailbox()
        self.server.settle()
    }

    var transactions: TransactionManager { self.server.transactions }

    func begin(_ mode: TransactionMode = .readWrite()) throws -> TransactionID {
        try self.transactions.begin(database: self.database, mode: mode)
    }

    func read(_ id: TransactionID, _ paths: String...) -> Answer<ReadResult> {
        let answer = Answer<ReadResult>()
        self.transactions.read(
            transaction: id,
            database: self.database,
            paths: paths.map(Bench.path),
            reply: answer.reply(on: self.mailbox)
        )
        return answer
    }

    func scan(_ id: TransactionID, _ range: NameRange) -> Answer<ScanGrant> { self.scan(id, QueryRange(names: range)) }

    func scan(_ id: TransactionID, _ range: QueryRange) -> Answer<ScanGrant> {
        let answer = Answer<ScanGrant>()
        self.transactions.scan(
            transaction: id,
            database: self.database,
            range: range,
            reply: answer.reply(on: self.mailbox)
        )
        return answer
    }

    func commit(_ id: TransactionID? = nil, _ writes: Write...) -> Answer<CommitResult> {
        let answer = Answer<CommitResult>()
        self.transactions.commit(
            database: self.database,
            transaction: id,
            writes: writes,
            reply: answer.reply(on: self.mailbox)
        )
        return answer
    }

    /// Nil when it was done. What comes later is waited for.
    func rollback(_ id: TransactionID) -> TransactionError? {
        let answer = self.startRollback(id)
        if !answer.isThere { self.settle() }
        return answer.error
    }

    func startRollback(_ id: TransactionID) -> Answer<Void> {
        let answer = Answer<Void>()
        self.transactions.rollback(
            transaction: id,
            database: self.database,
            reply: answer.reply(on: self.mailbox)
        )
        return answer
    }

    /// Begins, reads and settles: a transaction that holds these documents.
    func holding(_ paths: String..., retry: TransactionID? = nil) throws -> TransactionID {
        let id = try self.begin(.readWrite(retry: retry))
        let answer = Answer<ReadResult>()
        self.transactions.read(
            transaction: id,
            database: self.database,
            paths: paths.map(Bench.path),
            reply: answer.reply(on: self.mailbox)
        )
        self.settle()
        try #require(answer.isSuccess)
        return id
    }

    func settle() { self.server.settle() }

    func pass(seconds: Int64) {
        self.server.clock.advance(microseconds: seconds * 1_000_000)
        self.transactions.tick()
        self.settle()
    }

    /// The number in a document as a plain read sees it.
    func stored(_ path: String) throws -> Int64? {
        let time = self.server.store.strongReadTime()
        return Bench.number(in: try self.server.store.get(Bench.path(path), in: self.database, at: time))
    }

    static func path(_ text: String) -> ResourcePath {
        guard let path = try? ResourcePath(parsing: Array(text.utf8)) else { preconditionFailure(text) }
        return path
    }

    func name(_ path: String) -> DocumentName {
        guard let name = DocumentName(database: self.database.name, path: Bench.path(path)) else {
            preconditionFailure(path)
        }
        return name
    }

    func set(_ path: String, _ number: Int64, _ precondition: Precondition? = nil) -> Write {
        Write(name: self.name(path), operation: .set(Bench.fields(number)), precondition: precondition)
    }

    func delete(_ path: String) -> Write { Write(name: self.name(path), operation: .delete) }

    func verify(_ path: String, _ precondition: Precondition) -> Write {
        Write(name: self.name(path), operation: .verify, precondition: precondition)
    }

    func increment(_ path: String, by number: Int64) throws -> Write {
        let field = try FieldPath(parsing: Array("n".utf8))
        let transform = FieldTransform(path: field, operation: .increment(.integer(number)))
        return Write(name: self.name(path), operation: .merge(.empty, mask: []), transforms: [transform])
    }

    static func fields(_ number: Int64) -> EncodedFields {
        EncodedFields(encoding: [Value.MapEntry(key: "n", value: .integer(number))])
    }

    static func number(in document: Document?) -> Int64? {
        guard let document, case .integer(let number) = document.fields.decoded.first?.value else { return nil }
        return number
    }

    static func collection(_ id: String) -> NameRange {
        NameRange(parent: .root, collectionID: UTF8Text(id), allDescendants: false)
    }
}
