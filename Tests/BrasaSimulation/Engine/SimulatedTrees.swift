import BrasaDocuments
import BrasaPlatform
import BrasaStore
import BrasaTransactions
import BrasaTree

/// The clients of two trees beside those of documents, in the same store.
final class SimulatedTrees: @unchecked Sendable {
    // Sendable, because one thread runs the simulation.

    private unowned let simulation: EngineSimulation
    let checker = TreeChecker()
    private lazy var presence = SimulatedPresence(self.simulation, self.checker)
    private var clients: [SimulatedTreeClient] = []

    static let names = ["first", "second"].compactMap { TreeNamespace($0) }
    private static let clientCount = 3

    init(_ simulation: EngineSimulation) {
        self.simulation = simulation
    }

    private var store: Store { self.simulation.server.store }

    /// The process has died. Gives what it had.
    func die() -> Any { (self.clients, self.presence.die()) }

    /// Of a new process.
    func begin() {
        self.presence.begin()
        self.clients = (0..<Self.clientCount).map { _ in SimulatedTreeClient(self.simulation, self.checker) }
    }

    func act() throws {
        if self.simulation.random.chance(1, in: 4) { return try self.presence.act() }
        guard let client = self.clients.filter({ !$0.isBusy }).randomElement(using: &self.simulation.random) else {
            return
        }
        try client.begin()
    }

    func follow() throws { try self.checker.follow(self.store) }

    /// No session is open any more.
    func endSessions() { self.presence.endAll() }

    /// One session is open, and leaves something.
    func leaveOne() throws { try self.presence.leaveOne() }

    func tick() { self.presence.tick() }

    /// Nothing that sessions left waits to be written.
    var hasEnded: Bool { self.store.treeWillCount == 0 }

    func checkEndings() throws { try self.checker.checkEndings() }

    func followRecovered() throws {
        try self.checker.followRecovered(self.store)
        try self.checkState()
    }

    func checkState() throws { try self.checker.checkState(self.store, Self.names) }

    func count(in report: inout EngineSimulation.Report) {
        report.treeWrites += self.checker.acknowledgedCount
        report.staleWrites += self.checker.staleCount
        report.ended += self.checker.endedCount
        report.counted += Self.names.reduce(0) {
            $0 + Int(TreeChecker.count(in: self.checker.root(of: $1.description)))
        }
    }
}

/// One client of trees, which does one thing at a time.
final class SimulatedTreeClient: @unchecked Sendable {
    // Sendable, because one thread runs the simulation.

    private unowned let simulation: EngineSimulation
    private let checker: TreeChecker
    private let mailbox: SimulatedMailbox
    private(set) var isBusy = false

    init(_ simulation: EngineSimulation, _ checker: TreeChecker) {
        self.simulation = simulation
        self.checker = checker
        self.mailbox = simulation.server.scheduler.mailbox()
    }

    private var store: Store { self.simulation.server.store }

    private func random(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &self.simulation.random) }

    func begin() throws {
        let tree = self.store.tree(SimulatedTrees.names[self.random(SimulatedTrees.names.count)])
        switch self.random(10) {
        case ..<5: try self.write(to: tree)
        case ..<8: try self.countUp(in: tree, from: self.readStrongly(tree), attemptsLeft: 4)
        default: try self.read()
        }
    }

    // MARK: Writes

    /// The name of the writer is in every write, so that no two have the same effect.
    private func write(to tree: TreeHandle) throws {
        let writes = try (0...self.random(2)).map { _ in
            self.random(4) == 0 ? try self.randomSet() : try self.randomUpdate()
        }
        self.commit(writes, to: tree, onlyIf: nil) { _ in self.isBusy = false }
    }

    private func writer() -> TreeNode { .leaf(.integer(self.simulation.nextWriter())) }

    private func randomSet() throws -> TreeWrite {
        let node = TreeNode(children: [
            (key: try TreeKey("by"), node: self.writer()), (key: try TreeKey("x"), node: self.randomNode()),
        ])
        return try .set(TreeTemplate(node), at: TreeLocation("a/\(self.random(3))"))
    }

    private func randomUpdate() throws -> TreeWrite {
        var entries = [(location: try TreeLocation("by"), template: TreeTemplate(self.writer()))]
        let node = self.random(3) == 0 ? TreeNode.absent : self.randomNode()
        entries.append((try TreeLocation(self.random(3) == 0 ? "a" : "a/\(self.random(3))/b"), TreeTemplate(node)))
        if self.random(2) == 0 {
            entries.append(
                (try TreeLocation("sum"), try TreeTemplate(parsing: Array(#"{".sv":{"increment":2}}"#.utf8)))
            )
        }
        if self.random(4) == 0 {
            entries.append((try TreeLocation("at"), try TreeTemplate(parsing: Array(#"{".sv":"timestamp"}"#.utf8))))
        }
        return try .update(entries, at: .root)
    }

    private func randomNode() -> TreeNode {
        TreeNode(.integer(Int64(self.random(100))), priority: self.random(3) == 0 ? .string("p") : .none)
    }

    /// As a transaction of the Realtime Database counts: what it has seen must still be there.
    private func countUp(in tree: TreeHandle, from root: TreeNode, attemptsLeft: Int) throws {
        try self.countUp(in: tree, from: root.child(TreeKey(TreeChecker.counter)), attemptsLeft: attemptsLeft, root)
    }

    private func countUp(in tree: TreeHandle, from node: TreeNode, attemptsLeft: Int, _ root: TreeNode?) throws {
        var count: Int64 = 0
        if case .integer(let number)? = node.child(try TreeKey("n")).scalar { count = number }
        let path = try TreePath(TreeChecker.counter)
        let next = TreeNode(children: [
            (key: try TreeKey("by"), node: self.writer()), (key: try TreeKey("n"), node: .leaf(.integer(count + 1))),
        ])
        let write = try TreeWrite.set(TreeTemplate(next), at: TreeLocation(path))
        self.commit([write], to: tree, onlyIf: TreeCondition(path: path, hash: node.hash)) { outcome in
            if case .stale(let node)? = outcome, attemptsLeft > 0 {
                return try self.countUp(in: tree, from: node, attemptsLeft: attemptsLeft - 1, nil)
            }
            self.isBusy = false
        }
    }

    /// `then` gets nil for a failure.
    private func commit(
        _ writes: [TreeWrite],
        to tree: TreeHandle,
        onlyIf condition: TreeCondition?,
        _ then: @escaping (TreeOutcome?) throws -> Void
    ) {
        self.isBusy = true
        let before = self.simulation.checker.lastAcknowledged
        let id = self.checker.ask(writes, of: tree.name.description, condition, acknowledgedBefore: before)
        let step = self.simulation.step
        let order = TreeOrder(writes, to: tree, onlyIf: condition)
        self.simulation.server.transactions.commitTree(
            order,
            reply: self.reply { result in
                switch result {
                case .success(.committed(let committed)): try self.checker.acknowledge(id, committed, self.store)
                case .success(.stale(let node)): try self.checker.isStale(id, node, self.store)
                case .success(.denied): throw SimulationFailure(.refusal, "denied without a judge")
                case .success(.refused(let error)): throw SimulationFailure(.refusal, "\(error)")
                case .failure(let error):
                    try self.simulation.checkRefusal(error, asked: step)
                    try self.checker.refuse(id, error, logFailed: self.simulation.logFailed)
                }
                try then(try? result.get())
            }
        )
    }

    /// A reply that is expected exactly once.
    private func reply(
        _ then: @escaping (Result<TreeOutcome, TransactionError>) throws -> Void
    ) -> Reply<TreeOutcome> {
        let call = self.simulation.expectAnswer(to: "write to a tree")
        let then = OneThread(then)
        return Reply(mailbox: self.mailbox) { [unowned simulation = self.simulation] result in
            simulation.catching {
                try simulation.answered(call)
                try then.value(result)
            }
        }
    }

    // MARK: Reads

    private func readStrongly(_ tree: TreeHandle) throws -> TreeNode {
        let (root, time) = self.store.root(of: tree)
        try self.checker.checkRead(root, of: tree.name.description, at: time, isStrong: true)
        return root
    }

    /// Both trees at one moment, and one in the past, as far as it is known.
    private func read() throws {
        let time = self.store.watermark
        for name in SimulatedTrees.names {
            let tree = self.store.tree(name)
            guard let root = self.store.root(of: tree, at: time) else {
                throw SimulationFailure(.visibility, "the newest version of \(name) is forgotten")
            }
            try self.checker.checkRead(root, of: name.description, at: time, isStrong: true)
            let times = (self.checker.versions[name.description] ?? []).suffix(10).map(\.time)
            guard let past = times.randomElement(using: &self.simulation.random), past <= time.microseconds,
                let root = self.store.root(of: tree, at: Timestamp(microseconds: past))
            else { continue }
            try self.checker.checkRead(root, of: name.description, at: Timestamp(microseconds: past), isStrong: false)
        }
    }
}
