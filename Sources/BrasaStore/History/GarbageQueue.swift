import BrasaDocuments
import Synchronization

/// The documents whose older versions can go, in the order of the commits that superseded them: pruning costs what it
/// frees, however large the store is.
final class GarbageQueue: Sendable {
    struct Item: Sendable {
        /// Nobody who reads at this time or later sees what it superseded.
        let time: Int64
        let database: DatabaseHandle
        let path: ResourcePath

        /// What an item takes, about; part of the history's bytes.
        static let bytes = 40
    }

    private let items = Mutex(FirstInFirstOut<Item>())

    /// What one commit superseded; returns what the items take.
    func append(_ changes: [DocumentChange], time: Int64) -> Int {
        self.items.withLock { items in
            for change in changes { items.append(Item(time: time, database: change.database, path: change.path)) }
        }
        return changes.count * Item.bytes
    }

    /// The time to which history has to go for `count` items, or all that there are, to be taken.
    func horizon(taking count: Int) -> Int64? {
        self.items.withLock { items in
            items.isEmpty ? nil : items[min(count, items.count) - 1].time
        }
    }

    /// Up to `limit` items that are garbage at `horizon`.
    func take(through horizon: Int64, limit: Int) -> [Item] {
        self.items.withLock { items in
            var taken: [Item] = []
            while taken.count < limit, let first = items.first, first.time <= horizon {
                _ = items.popFirst()
                taken.append(first)
            }
            return taken
        }
    }
}
