package import BrasaPlatform
package import BrasaStore

/// Tells the streams of one event loop what commits change.
package final class Watcher: @unchecked Sendable {
    // Sendable, because `wake` and `counters` are all that other threads use; all else runs on the mailbox's thread.

    package let counters = WatchCounters()
    let store: Store
    let clock: Clock
    let configuration: WatchConfiguration
    private let mailbox: any Mailbox

    /// `mailbox` is the loop that everything but `wake` and `counters` is used on.
    package init(
        store: Store,
        mailbox: any Mailbox,
        clock: Clock,
        configuration: WatchConfiguration = WatchConfiguration()
    ) {
        self.store = store
        self.mailbox = mailbox
        self.clock = clock
        self.configuration = configuration
    }

    /// Commits became visible; on any thread.
    package func wake() {}

    /// A stream without targets. Its sink is held until `close`.
    package func open(_ database: DatabaseHandle, sink: any WatchSink) -> WatchStream {
        WatchStream(watcher: self, database: database, sink: sink)
    }

    /// To be called every second or so: tells idle streams the time.
    package func tick() {}
}
