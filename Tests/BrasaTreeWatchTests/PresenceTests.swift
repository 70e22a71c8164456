import BrasaIdentity
import BrasaPlatform
import BrasaSimulation
import BrasaStore
import BrasaTransactions
import BrasaTree
import BrasaTreeEngine
import BrasaTreeJudging
import BrasaTreeRules
import BrasaTreeWatch
import Testing

private final class Deaf: TreeListener {
    func told(_ telling: TreeTelling) {}
    func revoked(_ target: TreeTarget) {}
    func flush() {}
    func replaced() {}
}

/// Answers in the order in which they came.
private final class Answers: @unchecked Sendable {
    // Sendable, because one thread runs everything.
    var results: [TreeLeaveResult] = []
    var isDone = false
}

/// One process on a disk that outlives it.
private final class Life {
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

private func set(_ value: String, at location: String) throws -> TreeWrite {
    let location = try TreeLocation(location)
    return try .set(TreeTemplate(parsing: Array(value.utf8), at: location.path), at: location)
}

private func increment(_ number: Int) -> String { #"{".sv":{"increment":\#(number)}}"# }

/// What sessions leave over the end of the process: once, whenever that is.
@Suite struct PresenceTests {
    private let rules = Array(
        #"{"rules":{"online":{"$u":{".write":"auth.uid===$u&&root.child('frozen').val()!==true"}}}}"#.utf8
    )

    @Test func `What is left is answered when it is durable, and is written when the process was killed`() throws {
        let life = try Life(on: SimulatedDisk(seed: 1))
        let session = try life.open()
        let answers = Answers()
        try life.leave("false", at: "/online", by: session, answers)
        #expect(answers.results.isEmpty)
        life.server.settle()
        #expect(answers.results == [.kept])
        try life.leave(increment(1), at: "/ends", by: session, answers)
        try life.leave(#"{".sv":"timestamp"}"#, at: "/last", by: session, answers)
        session.cancelOnDisconnect(at: try TreePath("/last")) { answers.results.append($0) }
        life.server.settle()
        #expect(answers.results == [.kept, .kept, .kept, .kept])
        #expect(try life.stored == "null")

        let next = try life.crash()
        #expect(try next.stored == "null")
        let ended = next.endSessionsOfBefore()
        #expect(!ended.isDone)
        next.server.settle()
        #expect(try ended.isDone && next.stored == #"{"ends":1,"online":false}"#)
        // Once.
        let third = try next.crash()
        third.endSessionsOfBefore()
        third.server.settle()
        #expect(try third.stored == #"{"ends":1,"online":false}"#)
    }

    /// One session ends while the process runs, one leaves more, one is new; all count.
    @Test(arguments: 0..<40 as Range<Int>, [true, false])
    func
        `Wherever the process ends, each session's end is written once or, if nothing was answered, perhaps not at all`(
            moves: Int,
            hasCheckpoint: Bool
        ) throws
    {
        let disk = SimulatedDisk(seed: UInt64(moves))
        let life = try Life(on: disk, seed: UInt64(moves))
        let (first, second, third) = (try life.open(), try life.open(), try life.open())
        let answers = (0..<3).map { _ in Answers() }
        try life.leave(increment(1), at: "/n", by: first, answers[0])
        try life.leave(increment(10), at: "/n", by: second)
        life.server.settle()
        if hasCheckpoint { try life.server.store.checkpoint() }
        first.end()
        try life.leave(increment(100), at: "/m", by: second, answers[1])
        try life.leave(increment(1_000), at: "/n", by: third, answers[2])
        life.move(moves / 4)
        second.end()
        life.move(moves)
        let isNoted = answers.map { !$0.results.isEmpty }

        var next = try life.crash(next: 2)
        for again in [moves % 5, moves % 3] {
            next.endSessionsOfBefore()
            next.move(again)
            if hasCheckpoint, again == 2 { try next.server.store.checkpoint() }
            next = try next.crash(next: UInt64(3 + again))
        }
        next.endSessionsOfBefore()
        next.server.settle()
        let (n, m) = (try next.number(at: "/n"), try next.number(at: "/m"))
        #expect(n == 11 || n == 1_011, "\(n)")
        #expect(m == 0 || m == 100, "\(m)")
        #expect(!isNoted[1] || m == 100)
        #expect(!isNoted[2] || n == 1_011)
        #expect(next.server.store.treeWills.isEmpty && next.server.store.treeWillCount == 0)
    }

    @Test func `What was taken back is not written`() throws {
        let life = try Life(on: SimulatedDisk(seed: 1))
        let (one, two) = (try life.open(), try life.open())
        try life.leave("1", at: "/a", by: one)
        try life.leave(#"{"b":1,"c":2}"#, at: "/x", by: two)
        life.server.settle()
        let answers = Answers()
        one.cancelOnDisconnect(at: .root) { answers.results.append($0) }
        // There is nothing to take back any more, and still it is answered only when that is durable.
        one.cancelOnDisconnect(at: .root) { answers.results.append($0) }
        two.cancelOnDisconnect(at: try TreePath("/x/b")) { answers.results.append($0) }
        #expect(answers.results.isEmpty)
        life.server.settle()
        #expect(answers.results == [.kept, .kept, .kept])
        let next = try life.crash()
        #expect(next.server.store.treeWillCount == 1)
        next.endSessionsOfBefore()
        next.server.settle()
        #expect(try next.stored == #"{"x":{"c":2}}"#)
    }

    @Test func `After a kill it is judged as whose it was, by the rules of then, and what is denied is left out`()
        throws
    {
        let life = try Life(on: SimulatedDisk(seed: 1))
        life.rules.install(try TreeRules(parsing: self.rules))
        let (ada, bob, eve) = (try life.open(as: "ada"), try life.open(as: "bob"), try life.open(as: "eve"))
        for (session, name) in [(ada, "ada"), (bob, "bob"), (eve, "eve")] {
            try life.leave("\"left\"", at: "/online/\(name)", by: session)
        }
        life.server.settle()
        // Asks as somebody else, and what it left is not hers.
        eve.identify(as: Life.identity("mallory"))
        // The end of a token takes back nothing.
        bob.identify(as: TreeIdentity(.nobody), leavesAsBefore: true)
        life.server.settle()

        let next = try life.crash()
        next.rules.install(try TreeRules(parsing: self.rules))
        next.endSessionsOfBefore()
        next.server.settle()
        #expect(try next.stored == #"{"online":{"ada":"left","bob":"left"}}"#)
        #expect(next.server.store.treeWillCount == 0)
    }

    @Test func `What cannot be written any more is left out, also after a kill`() throws {
        let life = try Life(on: SimulatedDisk(seed: 1))
        let session = try life.open()
        try life.leave("5", at: "/gone/.priority", by: session)
        try life.leave("true", at: "/left", by: session)
        life.server.settle()
        let next = try life.crash()
        next.endSessionsOfBefore()
        next.server.settle()
        #expect(try next.stored == #"{"left":true}"#)
    }

    @Test func `What there is no room for is tried again, and a start does not wait for it`() throws {
        let life = try Life(on: SimulatedDisk(seed: 1))
        try life.leave("1", at: "/a", by: try life.open())
        life.server.settle()
        let next = try life.crash()
        // The log's queue is full.
        let large = try set("\"\(String(repeating: "x", count: 40_000))\"", at: "/large")
        next.server.transactions.commitTree(
            TreeOrder([large], to: try next.tree),
            reply: Reply(mailbox: next.server.scheduler.mailbox()) { _ in }
        )
        let ended = next.endSessionsOfBefore()
        #expect(ended.isDone && next.server.store.treeWillCount == 1)
        next.server.settle()
        #expect(try next.number(at: "/a") == 0)
        next.watcher.tick()
        next.server.settle()
        #expect(try next.number(at: "/a") == 1 && next.server.store.treeWillCount == 0)
    }

    @Test func `Sessions that end at once are done in turns`() throws {
        let life = try Life(on: SimulatedDisk(seed: 1))
        let sessions = try (0..<5).map { _ in try life.open() }
        for (number, session) in sessions.enumerated() {
            let places = try (0..<1_000).map {
                (location: try TreeLocation("\($0)"), template: TreeTemplate(.leaf(.integer(1))))
            }
            session.writeOnDisconnect(try .update(places, at: TreePath("/s\(number)"))) { _ in }
            life.server.settle()
        }
        let table = TreeSessionTable()
        for (number, session) in sessions.enumerated() { table.add(session, as: "\(number)") }
        for session in sessions { session.end() }
        let tree = try life.tree
        let begun = life.server.store.newestRoot(of: tree).childCount
        #expect(begun > 0 && begun < 5)
        // Whoever was the last of them, and is there again, waits for its own turn.
        let answers = Answers()
        table.end("4", on: life.watcher.mailbox) { answers.isDone = true }
        #expect(!answers.isDone)
        life.server.settle()
        #expect(answers.isDone)
        // The log's queue is small, so that some are tried again.
        for _ in 0..<5 {
            life.watcher.tick()
            life.server.settle()
        }
        #expect(life.server.store.root(of: tree).root.childCount == 5)
    }

    @Test func `What a session leaves is bounded also where a part of it is taken back`() throws {
        let life = try Life(on: SimulatedDisk(seed: 1))
        let session = try life.open()
        let wide = "{" + (0..<12_000).map { "\"k\($0)\":1" }.joined(separator: ",") + "}"
        let answers = Answers()
        life.server.settle()
        try life.leave(wide, at: "/wide", by: session, answers)
        life.server.settle()
        session.cancelOnDisconnect(at: try TreePath("/wide/k5")) { answers.results.append($0) }
        session.cancelOnDisconnect(at: try TreePath("/wide")) { answers.results.append($0) }
        life.server.settle()
        #expect(answers.results == [.kept, .tooMuch, .kept])
        // What is no write is kept by nobody.
        for _ in 0..<10 { session.writeOnDisconnect(try .update([], at: .root)) { answers.results.append($0) } }
        life.server.settle()
        #expect(answers.results.count == 13 && life.server.store.treeWillCount == 0)
    }

    @Test func `Once what was set aside for it is spent, rules allow nothing more`() throws {
        let rules = TreeRuleBook()
        rules.install(.open)
        let purse = WorkPurse(unitsMax: 1)
        let tree = try #require(TreeNamespace("one"))
        let change = TreeChange(
            path: .root,
            isUpdate: false,
            placements: [.init(location: TreeLocation(.root), node: .leaf(.boolean(true)))]
        )
        func isAllowed() -> Bool {
            let caller = TreeCaller.client(.null)
            return rules.allowed(change, to: tree, from: .absent, by: caller, milliseconds: 0, paying: purse) != nil
        }
        #expect(isAllowed() && purse.spent > 0 && !isAllowed())
    }
}
