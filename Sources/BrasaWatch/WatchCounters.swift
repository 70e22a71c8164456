import Synchronization

/// What a watcher does and has; any thread may read.
package final class WatchCounters: Sendable {
    package struct Values: Hashable, Sendable {
        package var streams = 0
        package var targets = 0
        package var views = 0
        /// Changes of documents that some view of them was asked about.
        package var changesMatched = 0
        package var eventsSent = 0
        /// Snapshots that a stream was not told of one by one, because it or its watcher was behind.
        package var snapshotsCoalesced = 0
        /// Targets that had to begin again.
        package var resets = 0

        package init() {}

        package static func + (left: Values, right: Values) -> Values {
            var sum = left
            sum.streams += right.streams
            sum.targets += right.targets
            sum.views += right.views
            sum.changesMatched += right.changesMatched
            sum.eventsSent += right.eventsSent
            sum.snapshotsCoalesced += right.snapshotsCoalesced
            sum.resets += right.resets
            return sum
        }
    }

    private let values = Mutex(Values())

    package var current: Values { self.values.withLock { $0 } }

    func set(_ values: Values) {
        self.values.withLock { $0 = values }
    }
}
