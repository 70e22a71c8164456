import BrasaPlatform
import BrasaStore
import BrasaWatch
import NIOConcurrencyHelpers
import NIOCore

/// The watchers of all event loops, one each. Made at start; any thread may use them afterwards.
final class Watchers: Sendable {
    private static let tickInterval: TimeAmount = .seconds(1)

    private let all = NIOLockedValueBox<[Watcher]>([])

    /// A watcher for the streams of that event loop, woken with the others from now on.
    func make(for store: Store, on eventLoop: any EventLoop, mailbox: any Mailbox) -> Watcher {
        let watcher = Watcher(store: store, mailbox: mailbox, clock: .system)
        self.all.withLockedValue { $0.append(watcher) }
        eventLoop.scheduleRepeatedTask(initialDelay: Self.tickInterval, delay: Self.tickInterval) { _ in
            watcher.tick()
        }
        return watcher
    }

    /// Commits became visible: each loop gets one post, unless one is on its way or nobody listens there.
    func wake() {
        for watcher in self.all.withLockedValue({ $0 }) { watcher.wake() }
    }

    var counters: WatchCounters.Values {
        self.all.withLockedValue { $0 }.reduce(WatchCounters.Values()) { $0 + $1.counters.current }
    }
}
