import BrasaIdentity
import BrasaStore
import BrasaTree
import BrasaTreeJudging
import BrasaTreeWatch

/// Sessions with the simulation's trees that leave something to be written at their ends: by their own, or by that of their
/// process.
final class SimulatedPresence: @unchecked Sendable {
    // Sendable, because one thread runs the simulation.

    private unowned let simulation: EngineSimulation
    private let checker: TreeChecker
    private var watcher: TreeWatcher
    private var sessions: [SimulatedTreeSession] = []
    private var lastSession = 0

    private static let sessionsMax = 3

    init(_ simulation: EngineSimulation, _ checker: TreeChecker) {
        self.simulation = simulation
        self.checker = checker
        self.watcher = Self.watcher(simulation)
    }

    private static func watcher(_ simulation: EngineSimulation) -> TreeWatcher {
        let server = simulation.server
        return TreeWatcher(
            store: server.store,
            transactions: server.transactions,
            mailbox: server.scheduler.mailbox()
        )
    }

    /// The process has died. Gives what it had.
    func die() -> Any {
        defer { self.sessions = [] }
        self.checker.cutOff()
        return (self.watcher, self.sessions)
    }

    /// Of a new process, which first ends the sessions of the one before.
    func begin() {
        self.watcher = Self.watcher(self.simulation)
        self.watcher.partings.endSessionsOfBefore {}
    }

    func tick() { self.watcher.tick() }

    func act() throws {
        switch Int.random(in: 0..<12, using: &self.simulation.random) {
        case ..<2: self.open()
        case ..<9: try self.sessions.randomElement(using: &self.simulation.random)?.leave()
        case ..<11: self.endOne()
        default: self.tick()
        }
    }

    private func open() {
        guard self.sessions.count < Self.sessionsMax,
            let tree = SimulatedTrees.names.randomElement(using: &self.simulation.random)
        else { return }
        self.lastSession += 1
        let listener = Deaf()
        let identity = TreeIdentity(.administrator)
        guard let session = self.watcher.open(tree.description, as: identity, for: listener) else { return }
        self.checker.open(self.lastSession, of: tree.description)
        self.sessions.append(
            SimulatedTreeSession(self.lastSession, session, listener, self.simulation, self.checker)
        )
    }

    private func endOne() {
        guard let index = self.sessions.indices.randomElement(using: &self.simulation.random) else { return }
        self.sessions.remove(at: index).end()
    }

    func endAll() {
        for session in self.sessions { session.end() }
        self.sessions = []
    }

    /// One that is open, and leaves something.
    func leaveOne() throws {
        self.open()
        try self.sessions.last?.leave()
    }
}

/// One session, which may have several requests on their way.
private final class SimulatedTreeSession: @unchecked Sendable {
    // Sendable, because one thread runs the simulation.

    private unowned let simulation: EngineSimulation
    private let checker: TreeChecker
    private let number: Int
    private let session: TreeSession
    /// The session does not hold it.
    private let listener: Deaf
    private var lastRequest = 0

    init(
        _ number: Int,
        _ session: TreeSession,
        _ listener: Deaf,
        _ simulation: EngineSimulation,
        _ checker: TreeChecker
    ) {
        self.number = number
        self.session = session
        self.listener = listener
        self.simulation = simulation
        self.checker = checker
    }

    private func random(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &self.simulation.random) }

    /// Its own number is in every write, so that no two sessions leave the same.
    func leave() throws {
        guard var queue = self.checker.endings[self.number]?.last else { return }
        if self.random(4) == 0 {
            let place = try TreeLocation("left/\(self.random(2))")
            queue.cancel(at: place)
            let answer = self.expect(queue)
            self.session.cancelOnDisconnect(at: place, then: answer)
        } else {
            let write = self.random(2) == 0 ? try self.set() : try self.update()
            queue.add(write)
            let answer = self.expect(queue)
            self.session.writeOnDisconnect(write, then: answer)
        }
    }

    private func by() -> TreeNode { .leaf(.integer(self.simulation.nextWriter())) }

    private func set() throws -> TreeWrite {
        let node = TreeNode(children: [(key: try TreeKey("by"), node: self.by())])
        return try .set(TreeTemplate(node), at: TreeLocation("left/\(self.random(2))"))
    }

    private func update() throws -> TreeWrite {
        var entries = [
            (location: try TreeLocation("left-by"), template: TreeTemplate(self.by())),
            (
                location: try TreeLocation("ends"),
                template: try TreeTemplate(parsing: Array(#"{".sv":{"increment":1}}"#.utf8))
            ),
        ]
        if self.random(2) == 0 {
            entries.append(
                (try TreeLocation("left-at"), try TreeTemplate(parsing: Array(#"{".sv":"timestamp"}"#.utf8)))
            )
        }
        return try .update(entries, at: .root)
    }

    /// An answer is expected exactly once.
    private func expect(_ queue: DisconnectQueue) -> @Sendable (TreeLeaveResult) -> Void {
        self.lastRequest += 1
        let request = self.lastRequest
        self.checker.leaves(queue, self.number, request: request)
        let call = self.simulation.expectAnswer(to: "what a session leaves")
        return { result in
            self.simulation.catching {
                try self.simulation.answered(call)
                switch result {
                case .kept: self.checker.isKept(self.number, request: request)
                case .failed(.unavailable, _): try self.checker.isRefused(self.number, request: request)
                case .failed(.unknown, let message):
                    guard self.simulation.logFailed else {
                        throw SimulationFailure(.refusal, "\(message), while the log works")
                    }
                case .denied, .tooMuch, .failed(.tooLarge, _): throw SimulationFailure(.refusal, "\(result)")
                }
            }
        }
    }

    func end() {
        self.checker.end(self.number)
        self.session.end()
    }
}

private final class Deaf: TreeListener {
    func told(_ telling: TreeTelling) {}
    func revoked(_ target: TreeTarget) {}
    func flush() {}
    func replaced() {}
}
