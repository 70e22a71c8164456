import BrasaPlatform
import BrasaStore
import BrasaTransactions
import BrasaTreeDoor
import BrasaTreeJudging
import BrasaTreeService
import NIOConcurrencyHelpers
import NIOCore

/// The doors to the trees, one on each event loop, and the event streams behind them. Made at start; any thread may wake
/// them afterwards.
final class TreeDoors: Sendable {
    private static let tickInterval: TimeAmount = .seconds(1)

    private let all = NIOLockedValueBox<[TreeFollowers]>([])
    private let pushIDs = PushIDSource(clock: .system, entropy: .system)

    func make(
        for store: Store,
        _ transactions: TransactionManager,
        _ rules: TreeRuleArchive,
        on eventLoop: any EventLoop,
        mailbox: any Mailbox
    ) -> TreeDoor {
        let followers = TreeFollowers(store: store, mailbox: mailbox)
        self.all.withLockedValue { $0.append(followers) }
        eventLoop.scheduleRepeatedTask(initialDelay: Self.tickInterval, delay: Self.tickInterval) { _ in
            followers.tick()
        }
        let service = TreeService(
            store: store,
            transactions: transactions,
            rules: rules,
            mailbox: mailbox,
            pushIDs: self.pushIDs
        )
        return TreeDoor(service, followers, on: eventLoop)
    }

    /// Commits became visible: a loop on which nobody follows a tree is not posted to.
    func wake() {
        for followers in self.all.withLockedValue({ $0 }) { followers.wake() }
    }
}
