import BrasaHTTP2
import BrasaIdentity
import BrasaPlatform
import BrasaSimulation
import BrasaTree
import BrasaTreeJudging
import BrasaTreeSocket
import BrasaTreeWatch
import NIOCore
import NIOEmbedded
import Synchronization

/// A tree on simulated hardware, and who wants something of it: strangers, as long as nothing that they show ends with an a.
final class FuzzedTree {
    let server: SimulatedServer
    let watcher: TreeWatcher
    let loop = EmbeddedEventLoop()
    let budget = ByteBudget(bytesMax: 4 << 20)
    let trees: TreeSocketDoor
    let reception: Reception
    private let letIn: LetIn

    init?() {
        guard let server = try? SimulatedServer() else { return nil }
        self.server = server
        self.watcher = TreeWatcher(
            store: server.store,
            transactions: server.transactions,
            mailbox: server.scheduler.mailbox()
        )
        self.trees = TreeSocketDoor(
            self.watcher,
            TreeSessionTable(),
            clock: server.clock.clock,
            entropy: .seeded(1)
        )
        let letIn = LetIn()
        let loop = NIOLoopBound(self.loop, eventLoop: self.loop)
        self.letIn = letIn
        self.reception = .credentials { credentials, later in
            switch credentials.authorization?.last {
            case nil: return .caller(.nobody)
            case UInt8(ascii: "a"):
                letIn.hasAdministrator.store(true, ordering: .relaxed)
                return .caller(.administrator)
            case UInt8(ascii: "l"):
                loop.value.execute { later(.caller(.nobody)) }
                return nil
            case UInt8(ascii: "b"): return .busy
            default: return .refused
            }
        }
    }

    /// Until nothing moves.
    func run() {
        for _ in 0..<3 {
            self.loop.run()
            self.server.settle()
        }
        self.loop.run()
    }

    func advance(seconds: Int64) {
        self.loop.advanceTime(by: .seconds(seconds))
        self.run()
    }

    /// When all are gone: nothing is kept for them, and strangers have written nothing.
    func check() {
        self.run()
        precondition(self.budget.drawnBytes == 0, "bytes are kept for somebody who is gone")
        precondition(self.watcher.sessionCount == 0, "a session is there whose connection is gone")
        precondition(!self.server.logHasFailed)
        guard !self.letIn.hasAdministrator.load(ordering: .relaxed) else { return }
        let looker = Looker()
        guard let session = self.watcher.open("one", as: TreeIdentity(.administrator), for: looker) else { return }
        precondition(session.node(at: .root).isAbsent, "a stranger has written something")
        session.end()
        self.run()
    }
}

private final class LetIn: Sendable {
    let hasAdministrator = Atomic(false)
}

private final class Looker: TreeListener {
    func told(_ telling: TreeTelling) {}
    func revoked(_ target: TreeTarget) {}
    func flush() {}
    func replaced() {}
}
