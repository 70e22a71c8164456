import BrasaPlatform
import BrasaService
import BrasaSimulation
import BrasaStore
import BrasaTransactions
import BrasaTree
import BrasaTreeJudging
import Logging
import NIOConcurrencyHelpers
import NIOEmbedded
import ServiceLifecycle
import Testing

@testable import BrasaServer

/// A start, when sessions were open at the end of the process before.
@Suite struct TreeSessionEndTests {
    private let server: SimulatedServer
    private let tree: TreeHandle
    private let watchers = TreeWatchers()
    /// Runs nothing until it is told to.
    private let loop = NIOAsyncTestingEventLoop()

    init() throws {
        self.server = try SimulatedServer()
        self.tree = self.server.store.tree(try #require(TreeNamespace("one")))
        let place = TreeLocation(.root)
        let write = try TreeWrite.set(TreeTemplate(.leaf(.boolean(false))), at: place)
        let step = TreeWillStep([.author(Array("*".utf8)), .add(write)], of: nil, in: self.tree, keptBytes: 1_000)
        _ = self.server.transactions.leave(step, reply: Reply(mailbox: self.server.scheduler.mailbox()) { _ in })
        self.server.settle()
        _ = self.watchers.make(
            for: self.server.store,
            self.server.transactions,
            TreeRuleBook(),
            on: self.loop,
            mailbox: EventLoopMailbox(self.loop, NoLook())
        )
    }

    private var stored: String {
        String(decoding: self.server.store.root(of: self.tree).root.text(.export), as: UTF8.self)
    }

    @Test(.timeLimit(.minutes(1)))
    func `It waits for what they left`() async throws {
        let watchers = self.watchers
        let isWaiting = NIOLockedValueBox(true)
        async let hasEnded = {
            let hasEnded = await watchers.endSessionsOfBefore(within: .seconds(3_600)) { false }
            isWaiting.withLockedValue { $0 = false }
            return hasEnded
        }()
        while self.server.store.treeWillCount > 0 {
            #expect(isWaiting.withLockedValue { $0 })
            await self.loop.run()
            self.server.settle()
        }
        await self.loop.run()
        #expect(await hasEnded && self.stored == "false")
    }

    @Test(.timeLimit(.minutes(1)), arguments: [true, false])
    func `It does not wait where the disk is full, or for long, and they are ended meanwhile`(isFull: Bool) async throws
    {
        let waitMax: Duration = isFull ? .seconds(3_600) : .milliseconds(10)
        #expect(await !self.watchers.endSessionsOfBefore(within: waitMax) { isFull })
        #expect(self.stored == "null")
        await self.loop.run()
        self.server.settle()
        #expect(self.stored == "false" && self.server.store.treeWillCount == 0)
    }

    @Test(.timeLimit(.minutes(1)))
    func `A signal ends the wait`() async throws {
        let (beginnings, begin) = AsyncStream.makeStream(of: Void.self)
        let start = Start(watchers: self.watchers, begin: begin)
        let logger = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
        let group = ServiceGroup(services: [start], logger: logger)
        async let run: Void = group.run()
        _ = await beginnings.first { _ in true }
        await group.triggerGracefulShutdown()
        try await run
    }

    private struct Start: Service {
        let watchers: TreeWatchers
        let begin: AsyncStream<Void>.Continuation

        func run() async {
            let hasEnded = await self.watchers.endSessionsOfBefore(within: .seconds(3_600)) {
                self.begin.yield()
                return false
            }
            #expect(!hasEnded)
        }
    }
}

/// Of a loop without sockets.
private final class NoLook: SocketLook {
    let hasEnded = false

    func next(_ then: @escaping () -> Void) { then() }
}
