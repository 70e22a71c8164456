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
import Synchronization
import Testing

/// What one listener was told, and what came of writes, in their order.
private final class Diary: TreeListener {
    var entries: [String] = []
    var isReplaced = false

    func told(_ telling: TreeTelling) {
        switch telling.notice.event {
        case .value(let location, let node): self.entries.append("\(location) \(Self.text(node))")
        case .merge(let path, let parts):
            let texts = parts.map { "\($0.location)=\(Self.text($0.node))" }
            self.entries.append("\(path) \(texts.joined(separator: " "))")
        }
    }

    func revoked(_ target: TreeTarget) { self.entries.append("\(target.path) revoked") }
    func flush() {}
    func replaced() { self.isReplaced = true }

    static func text(_ node: TreeNode) -> String { String(decoding: node.text(.export), as: UTF8.self) }
}

/// Outcomes in the order in which they came, with what the listener knew then.
private final class Outcomes: Sendable {
    private let state = Mutex<[String]>([])
    var all: [String] { self.state.withLock { $0 } }

    func add(_ result: TreeWriteResult) {
        let text =
            switch result {
            case .written: "written"
            case .stale: "stale"
            case .denied: "denied"
            case .refused: "refused"
            case .failed: "failed"
            }
        self.state.withLock { $0.append(text) }
    }
}

/// What came of leaving something.
private final class Leaving: @unchecked Sendable {
    // Sendable, because one thread runs everything.
    var result: TreeLeaveResult?
}

/// Sessions over a simulated server: one thread, and everything that was posted runs in `settle`.
@Suite struct SessionTests {
    private let server: SimulatedServer
    private let rules = TreeRuleBook()
    private let watcher: TreeWatcher
    private let diary: Diary
    private let session: TreeSession

    init() throws {
        let server = try SimulatedServer()
        let watcher = TreeWatcher(
            store: server.store,
            transactions: server.transactions,
            rules: self.rules,
            mailbox: server.scheduler.mailbox(),
            stepsMax: 4
        )
        let diary = Diary()
        self.session = try #require(watcher.open("one", as: TreeIdentity(.administrator), for: diary))
        (self.server, self.watcher, self.diary) = (server, watcher, diary)
    }

    private func set(_ value: String, at location: String) throws -> TreeWrite {
        let location = try TreeLocation(location)
        return try .set(TreeTemplate(parsing: Array(value.utf8), at: location.path), at: location)
    }

    /// Whether a session has room to leave that.
    private func leave(_ value: String, at location: String) throws -> Bool {
        let answer = Leaving()
        self.session.writeOnDisconnect(try self.set(value, at: location)) { answer.result = $0 }
        self.server.settle()
        return answer.result == .kept
    }

    private func target(_ path: String, _ query: TreeQuery? = nil) throws -> TreeTarget {
        TreeTarget(try TreePath(path), query)
    }

    /// Writes without a listener being woken.
    private func write(_ value: String, at location: String, by session: TreeSession? = nil) throws {
        let outcomes = Outcomes()
        (session ?? self.session).write(try self.set(value, at: location)) { outcomes.add($0) }
        self.server.settle()
        #expect(outcomes.all == ["written"])
    }

    private var stored: String { Diary.text(self.node(TreeTarget(.root))) }

    private func node(_ target: TreeTarget) -> TreeNode {
        guard case .node(let node) = self.session.read(target) else { return .absent }
        return node
    }

    @Test func `The push that a write causes is there before its answer, and neither before it is durable`() throws {
        _ = self.session.listen(to: try self.target("/a"), holding: "")
        let diary = self.diary
        let box = Box(diary)
        try self.write("1", at: "/b")
        #expect(diary.entries.isEmpty)
        self.session.write(try self.set("2", at: "/a/n")) { _ in
            let count = box.diary.entries.count
            box.counts.withLock { $0.append(count) }
        }
        #expect(diary.entries.isEmpty)
        self.server.settle()
        #expect(diary.entries == ["/a/n 2"] && box.counts.withLock { $0 } == [1])
    }

    private final class Box: @unchecked Sendable {
        let diary: Diary
        let counts = Mutex<[Int]>([])
        init(_ diary: Diary) { self.diary = diary }
    }

    @Test func `A listen begins with what is durable, and misses nothing after it`() throws {
        try self.write(#"{"x":1}"#, at: "/a")
        guard case .whole(let node) = self.session.listen(to: try self.target("/a"), holding: "")?.content else {
            Issue.record("nothing was shown")
            return
        }
        #expect(Diary.text(node) == #"{"x":1}"#)
        let outcomes = Outcomes()
        self.session.write(try self.set("2", at: "/a/x")) { outcomes.add($0) }
        // Begun while the write is on its way: it is told of it once.
        let late = Diary()
        let other = try #require(self.watcher.open("one", as: TreeIdentity(.administrator), for: late))
        guard case .whole(let before) = other.listen(to: try self.target("/a"), holding: "")?.content else {
            Issue.record("nothing was shown")
            return
        }
        #expect(Diary.text(before) == #"{"x":1}"#)
        self.server.settle()
        #expect(self.diary.entries == ["/a/x 2"] && late.entries == ["/a/x 2"])
        let hash = self.node(try self.target("/a")).hash
        guard case .same = other.listen(to: try self.target("/a"), holding: hash)?.content else {
            Issue.record("shown again")
            return
        }
    }

    @Test func `A transaction on what is not there any more is stale, and its writer was told before`() throws {
        _ = self.session.listen(to: try self.target("/n"), holding: "")
        let outcomes = Outcomes()
        self.session.write(try self.set("1", at: "/n"), expecting: "") { outcomes.add($0) }
        self.session.write(try self.set("2", at: "/n"), expecting: "") { outcomes.add($0) }
        self.server.settle()
        #expect(outcomes.all == ["written", "stale"] && self.diary.entries == ["/n 1"])
    }

    @Test func `A write that is estimated to take too long is refused, and who may not write is denied`() throws {
        let watcher = TreeWatcher(
            store: self.server.store,
            transactions: self.server.transactions,
            rules: self.rules,
            mailbox: self.server.scheduler.mailbox(),
            writeSizes: TreeWriteSizes(nodesPerSecond: 1)
        )
        // The server's one gives a minute, here of a node a second.
        let session = try #require(watcher.open("one", as: TreeIdentity(.administrator), for: self.diary))
        let stranger = try #require(watcher.open("one", as: TreeIdentity(.nobody), for: self.diary))
        let outcomes = Outcomes()
        func numbers(_ count: Int) -> String { "{" + (0..<count).map { "\"k\($0)\":0" }.joined(separator: ",") + "}" }
        session.write(try self.set(numbers(60), at: "/n")) { outcomes.add($0) }
        session.write(try self.set(numbers(59), at: "/n")) { outcomes.add($0) }
        self.server.settle()
        session.write(try self.set("1", at: "/n")) { outcomes.add($0) }
        stranger.write(try self.set("1", at: "/n")) { outcomes.add($0) }
        session.write(try self.set("1", at: "/n/k1")) { outcomes.add($0) }
        self.server.settle()
        #expect(outcomes.all == ["failed", "written", "failed", "denied", "written"])
    }

    @Test func `Every step is told, however many there are at once`() throws {
        let watcher = TreeWatcher(
            store: self.server.store,
            transactions: self.server.transactions,
            rules: self.rules,
            mailbox: self.server.scheduler.mailbox()
        )
        let diary = Diary()
        let session = try #require(watcher.open("one", as: TreeIdentity(.administrator), for: diary))
        _ = session.listen(to: try self.target("/a"), holding: "")
        for index in 0..<600 {
            self.server.transactions.commitTree(
                TreeOrder([try self.set("\(index)", at: "/a")], to: try self.tree),
                reply: Reply(mailbox: self.server.scheduler.mailbox()) { _ in }
            )
            if index % 50 == 49 { self.server.settle() }
        }
        watcher.wake()
        self.server.settle()
        #expect(diary.entries == (0..<600).map { "/a \($0)" })
    }

    @Test func `A loop that is far behind passes over steps, and shows the end`() throws {
        _ = self.session.listen(to: try self.target("/a"), holding: "")
        let query = try TreeQuery(order: .key, limit: .init(2, .last))
        let window = Diary()
        let other = try #require(self.watcher.open("one", as: TreeIdentity(.administrator), for: window))
        _ = other.listen(to: try self.target("/a", query), holding: "")
        for index in 0..<5 {
            let order = TreeOrder([try self.set("\(index)", at: "/a/k\(index)")], to: try self.tree)
            self.server.transactions.commitTree(
                order,
                reply: Reply(mailbox: self.server.scheduler.mailbox()) { _ in }
            )
        }
        self.server.settle()
        #expect(self.diary.entries.isEmpty)
        self.watcher.wake()
        self.server.settle()
        #expect(self.diary.entries == [#"/a {"k0":0,"k1":1,"k2":2,"k3":3,"k4":4}"#])
        #expect(window.entries.count == 1)
        let shown = other.shown(try self.target("/a", query))
        #expect(shown.map(Diary.text) == #"{"k3":3,"k4":4}"#)
    }

    private var tree: TreeHandle {
        get throws { self.server.store.tree(try #require(TreeNamespace("one"))) }
    }

    @Test func `What a session leaves is one change, without what cannot be written any more`() throws {
        try self.write("1", at: "/there")
        let watching = Diary()
        let other = try #require(self.watcher.open("one", as: TreeIdentity(.administrator), for: watching))
        _ = other.listen(to: try self.target("/"), holding: self.node(TreeTarget(.root)).hash)
        #expect(try self.leave(#"{".sv":{"increment":2}}"#, at: "/there"))
        #expect(try self.leave("5", at: "/gone/.priority"))
        #expect(try self.leave("true", at: "/left/x"))
        #expect(try self.leave("true", at: "/left/y"))
        self.session.cancelOnDisconnect(at: try TreeLocation("/left/y")) { _ in }
        self.session.end()
        self.server.settle()
        #expect(watching.entries == [#"/ /left/x=true /there=3"#])
        self.session.end()
        self.server.settle()
        #expect(watching.entries.count == 1 && self.watcher.sessionCount == 1)
    }

    @Test func `A session may leave no more than its bounds`() throws {
        let text = "\"" + String(repeating: "x", count: 600_000) + "\""
        self.server.settle()
        #expect(try self.leave(text, at: "/a"))
        #expect(try !self.leave(text, at: "/b"))
        // What is replaced does not count.
        #expect(try self.leave("1", at: "/a"))
        #expect(try self.leave(text, at: "/b"))
    }

    @Test func `The next connection of a client ends its last before it begins`() throws {
        let table = TreeSessionTable()
        table.add(self.session, as: "last")
        #expect(try self.leave("false", at: "/online"))
        let counter = Counter()
        table.end("unknown", on: self.watcher.mailbox) { counter.add() }
        #expect(counter.count == 1)
        table.end("last", on: self.watcher.mailbox) { counter.add() }
        #expect(counter.count == 1)
        self.server.settle()
        #expect(counter.count == 2 && self.diary.isReplaced && self.session.hasEnded)
        #expect(self.stored == #"{"online":false}"#)
    }

    @Test func `So does the connection after the next, which comes before that is written`() throws {
        let table = TreeSessionTable()
        table.add(self.session, as: "last")
        #expect(try self.leave("false", at: "/online"))
        let counter = Counter()
        table.end("last", on: self.watcher.mailbox) { counter.add() }
        // The first of them may be gone already.
        self.server.scheduler.runAll()
        table.end("last", on: self.watcher.mailbox) { counter.add() }
        self.server.scheduler.runAll()
        #expect(counter.count == 0 && self.stored == "null")
        self.server.settle()
        #expect(counter.count == 2 && self.stored == #"{"online":false}"#)
        // Then nobody knows it any more.
        table.end("last", on: self.watcher.mailbox) { counter.add() }
        #expect(counter.count == 3)
    }

    private final class Counter: Sendable {
        private let value = Mutex(0)
        var count: Int { self.value.withLock { $0 } }
        func add() { self.value.withLock { $0 += 1 } }
    }
}
