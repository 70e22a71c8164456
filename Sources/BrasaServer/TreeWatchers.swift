import BrasaPlatform
import BrasaStore
import BrasaTransactions
import BrasaTreeJudging
import BrasaTreeWatch
import NIOConcurrencyHelpers
import NIOCore
import ServiceLifecycle

/// The watchers of trees of all event loops, one each. Made at start; any thread may wake them afterwards.
final class TreeWatchers: Sendable {
    private static let tickInterval: TimeAmount = .seconds(1)
    private static let lookInterval: Duration = .milliseconds(50)

    private let all = NIOLockedValueBox<[TreeWatcher]>([])

    func make(
        for store: Store,
        _ transactions: TransactionManager,
        _ rules: TreeRuleBook,
        on eventLoop: any EventLoop,
        mailbox: any Mailbox
    ) -> TreeWatcher {
        let watcher = TreeWatcher(store: store, transactions: transactions, rules: rules, mailbox: mailbox)
        self.all.withLockedValue { $0.append(watcher) }
        eventLoop.scheduleRepeatedTask(initialDelay: Self.tickInterval, delay: Self.tickInterval) { _ in
            watcher.tick()
        }
        return watcher
    }

    /// Writes what sessions left that were open when the process before ended. Before anybody is let in, and when the loops
    /// have their watchers.
    ///
    /// Its end is not waited for when the process is to end, when what is on its way cannot get to the disk, or for longer than
    /// that: then it goes on by itself.
    /// - Returns: whether it has ended.
    func endSessionsOfBefore(within waitMax: Duration, or isStuck: @escaping @Sendable () -> Bool) async -> Bool {
        guard let watcher = self.all.withLockedValue({ $0.first }) else { return true }
        let (endings, end) = AsyncStream.makeStream(of: Bool.self, bufferingPolicy: .bufferingOldest(1))
        watcher.mailbox.post { watcher.partings.endSessionsOfBefore { end.yield(true) } }
        return await withGracefulShutdownHandler {
            await withTaskGroup(of: Void.self) { group in
                group.addTask {
                    let deadline = ContinuousClock.now + waitMax
                    while !Task.isCancelled, ContinuousClock.now < deadline, !isStuck() {
                        try? await Task.sleep(for: Self.lookInterval)
                    }
                    end.yield(false)
                }
                defer { group.cancelAll() }
                return await endings.first { _ in true } ?? false
            }
        } onGracefulShutdown: {
            end.yield(false)
        }
    }

    /// Commits became visible: each loop gets one post, unless one is on its way or nobody listens there.
    func wake() {
        for watcher in self.all.withLockedValue({ $0 }) { watcher.wake() }
    }
}
