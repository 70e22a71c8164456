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
            pin: try self.pin(at: time, in: database),
            history: database.history
        )
    }
}

/// A search for collection ids, one bounded visit to the database's order at a time. Keeps the time's versions from being pruned.
package struct CollectionIDScan: Sendable {
    private let parent: ResourcePath
    private let after: UTF8Text?
    private let limit: Int
    private let pin: SnapshotPin
    private let history: ReadHistory
    private let database: DatabaseHandle
    /// Nil at the end.
    private var position: PathPosition?
    private var found: [CollectionID] = []

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
        self.database = database
        self.position = Self.start(parent, after: after)
    }

    /// Behind the collection `after`, or at the first when that cannot be a collection's id.
    private static func start(_ parent: ResourcePath, after: UTF8Text?) -> PathPosition {
        guard let after, let collection = try? parent.appending(after.bytes) else { return .after(parent) }
        return .afterSubtree(collection)
    }

    /// One step; the ids when it was the last.
    package mutating func step() throws(StoreError) -> [UTF8Text]? {
        guard let from = self.position, self.found.count < self.limit else { return self.ids }
        let (parent, time) = (self.parent, self.pin.time.microseconds)
        let budget = ScanBudget(entries: self.limit - self.found.count)
        let part = self.database.order.withLock {
            $0.collectionIDs(under: parent, from: from, at: time, budget: budget)
        }
        try self.history.check(time)
        self.found += part.found
        self.position = part.resume
        return nil
    }

    private var ids: [UTF8Text] {
        let ids = self.found.compactMap { UTF8Text(validating: $0.bytes) }.sorted()
        return Array(ids.lazy.filter { id in self.after.map { $0 < id } ?? true }.prefix(self.limit))
    }
}
