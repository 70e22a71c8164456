import BrasaIdentity
import BrasaPlatform
import BrasaSimulation
import BrasaStore
import BrasaTransactions
import BrasaTree
import BrasaTreeEngine
import BrasaTreeJudging
import BrasaTreeWatch
import Testing

private final class Deaf: TreeListener {
    func told(_ telling: TreeTelling) {}
    func revoked(_ target: TreeTarget) {}
    func flush() {}
    func replaced() {}
}

/// Answers in the order in which they came.
final class Answers: @unchecked Sendable {
    // Sendable, because one thread runs everything.
    var results: [TreeLeaveResult] = []
    var isDone = false
}

/// One process on a disk that outlives it.
final class Life {
    let disk: SimulatedDisk
    let server: SimulatedServer
    let rules = TreeRuleBook()
    let watcher: TreeWatcher
    private let deaf = Deaf()

    init(on disk: SimulatedDisk, seed: UInt64 = 1) throws {
        self.disk = disk
        self.server = try SimulatedServer(seed: seed, disk: disk, clock: SimulatedClock())
        self.watcher = TreeWatcher(
            store: self.server.store,
            transactions: self.server.transactions,
            rules: self.rules,
            mailbox: self.server.scheduler.mailbox()
        )
    }

    /// What was not synced is lost, or some of it.
    func crash(next seed: UInt64 = 1) throws -> Life {
        self.server.scheduler.discardAll()
        self.disk.crash()
        return try Life(on: self.disk, seed: seed)
    }

    func open(as user: String? = nil) throws -> TreeSession {
        try #require(self.watcher.open("one", as: Self.identity(user), for: self.deaf))
    }

    static func identity(_ user: String?) -> TreeIdentity {
        TreeIdentity(user.map { .user(User(id: $0)) } ?? .administrator)
    }

    /// Not durable yet.
    func leave(_ text: String, at place: String, by session: TreeSession, _ answers: Answers = Answers()) throws {
        session.writeOnDisconnect(try set(text, at: place)) { answers.results.append($0) }
    }

    /// So many pieces of mail and groups of the log.
    func move(_ count: Int) { for _ in 0..<count where !self.server.scheduler.runOne() { _ = self.server.stepLog() } }

    @discardableResult
    func endSessionsOfBefore() -> Answers {
        let answers = Answers()
        self.watcher.partings.endSessionsOfBefore { answers.isDone = true }
        return answers
    }

    var tree: TreeHandle {
        get throws { self.server.store.tree(try #require(TreeNamespace("one"))) }
    }

    var stored: String {
        get throws { String(decoding: self.server.store.root(of: try self.tree).root.text(.export), as: UTF8.self) }
    }

    func number(at path: String) throws -> Int64 {
        let node = self.server.store.root(of: try self.tree).root[try TreePath(path)]
        if case .integer(let number)? = node.scalar { return number }
        return 0
    }
}

/// A write of JSON text.
func set(_ value: String, at location: String) throws -> TreeWrite {
    let location = try TreeLocation(location)
    return try .set(TreeTemplate(parsing: Array(value.utf8), at: location.path), at: location)
}

func increment(_ number: Int) -> String { #"{".sv":{"increment":\#(number)}}"# }
