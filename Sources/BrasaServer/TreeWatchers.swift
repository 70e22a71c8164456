import BrasaPlatform
import BrasaStore
import BrasaTransactions
import BrasaTreeJudging
import BrasaTreeWatch
import NIOConcurrencyHelpers
import NIOCore

/// The watchers of trees of all event loops, one each. Made at start; any thread may wake them afterwards.
final class TreeWatchers: Sendable {
    private static let tickInterval: TimeAmount = .seconds(1)

    private let all = NIOLockedValueBox<[TreeWatcher]>([])

    func make(
        for store: Store,
        _ transactions: TransactionManager,
        _ rules: TreeRuleBook,
        on eventLoop: any EventLoop
    ) -> TreeWatcher {
        let mailbox = EventLoopMailbox(eventLoop)
        let watcher = TreeWatcher(store: store, transactions: transactions, rules: rules, mailbox: mailbox)
        self.all.withLockedValue { $0.append(watcher) }
        eventLoop.scheduleRepeatedTask(initialDelay: Self.tickInterval, delay: Self.tickInterval) { _ in
            watcher.tick()
        }
        return watcher
    }

    /// Writes what sessions left that were open when the process before ended. Before anybody is let in, and when the loops
    /// have their watchers.
    func endSessionsOfBefore() async {
        guard let watcher = self.all.withLockedValue({ $0.first }) else { return }
        await withCheckedContinuation { continuation in
            watcher.mailbox.post { watcher.partings.endSessionsOfBefore { continuation.resume() } }
        }
    }

    /// Commits became visible: each loop gets one post, unless one is on its way or nobody listens there.
    func wake() {
        for watcher in self.all.withLockedValue({ $0 }) { watcher.wake() }
    }
}
