package import BrasaDocuments
import Synchronization

extension Store {
    /// Looks for the ids of the collections directly below `parent` that have documents at any depth, ascending, after
    /// `after`: at most `limit` of them. `parent` is the root or a document, which need not exist.
    package func collectionIDs(
        under parent: ResourcePath,
        in database: DatabaseHandle,
        at time: Timestamp,
        after: UTF8Text? = nil,
        limit: Int
    ) throws(StoreError) -> CollectionIDScan {
        CollectionIDScan(
            database,
            parent,
            after: after,
            limit: limit,
            pin: try self.pin(at: time),
            history: self.documents.history
        )
    }
}

/// A search for collection ids, one bounded visit to a shard at a time. Keeps the time's versions from being pruned.
package struct CollectionIDScan: Sendable {
    private let parent: ResourcePath
    private let after: UTF8Text?
    private let limit: Int
    private let pin: SnapshotPin
    private let history: ReadHistory
    private var shards: ArraySlice<Shard>
    /// In the first of the shards; nil at its end.
    private var position: PathPosition?
    /// How many ids the first of the shards may still bring.
    private var remaining: Int
    private var found: Set<CollectionID> = []

    fileprivate init(
        _ database: DatabaseHandle,
        _ parent: ResourcePath,
        after: UTF8Text?,
        limit: Int,
        pin: SnapshotPin,
        history: ReadHistory
    ) {
        self.parent = parent
        self.after = after
        self.limit = max(limit, 0)
        self.pin = pin
        self.history = history
        self.shards = database.shards[...]
        self.position = Self.start(parent, after: after)
        self.remaining = self.limit
    }

    /// Behind the collection `after`, or at the first when that cannot be a collection's id.
    private static func start(_ parent: ResourcePath, after: UTF8Text?) -> PathPosition {
        guard let after, let collection = try? parent.appending(after.bytes) else { return .after(parent) }
        return .afterSubtree(collection)
    }

    /// One step; the ids when it was the last.
    package mutating func step() throws(StoreError) -> [UTF8Text]? {
        guard let shard = self.shards.first else { return self.ids }
        if let from = self.position, self.remaining > 0 {
            let (parent, time) = (self.parent, self.pin.time.microseconds)
            let budget = ScanBudget(entries: self.remaining)
            let part = shard.state.withLock { $0.collectionIDs(under: parent, from: from, at: time, budget: budget) }
            try self.history.check(time)
            self.found.formUnion(part.found)
            self.remaining -= part.found.count
            self.position = part.resume
        } else {
            self.shards.removeFirst()
            self.position = Self.start(self.parent, after: self.after)
            self.remaining = self.limit
        }
        return nil
    }

    private var ids: [UTF8Text] {
        let ids = self.found.compactMap { UTF8Text(validating: $0.bytes) }.sorted()
        return Array(ids.lazy.filter { id in self.after.map { $0 < id } ?? true }.prefix(self.limit))
    }
}
