import BrasaDocuments
import Synchronization

/// A database's documents whose older versions can go, in the order of the commits that superseded them: pruning costs what
/// it frees, however large the store is.
final class GarbageQueue: Sendable {
    struct Item: Sendable {
        /// Nobody who reads at this time or later sees what it superseded.
        let time: Int64
        let path: ResourcePath
        /// About what goes with it, besides keys of indexes.
        let bytes: Int

        /// What an item takes, about; part of the history's bytes.
        static let ownBytes = 40
    }

    private let items = Mutex(FirstInFirstOut<Item>())

    func append(_ item: Item) {
        self.items.withLock { $0.append(item) }
    }

    /// Of a commit that did not happen.
    func removeNewest() {
        self.items.withLock { items in
            if !items.isEmpty { items.removeLast(1) }
        }
    }

    /// The time to which history has to go for anything to be taken; nil when there is nothing.
    var first: Int64? { self.items.withLock { $0.first?.time } }

    /// The time to which history has to go for items of so many bytes to be taken, or for `count` of them, if that is less;
    /// nil when there are none.
    func horizon(freeing bytes: Int, count: Int) -> Int64? {
        self.items.withLock { items in
            var (left, index) = (bytes, 0)
            while index < min(count, items.count) {
                left -= items[index].bytes
                index += 1
                if left <= 0 { break }
            }
            return index > 0 ? items[index - 1].time : nil
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
