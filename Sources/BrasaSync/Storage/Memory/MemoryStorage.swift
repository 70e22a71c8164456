internal import BrasaDocuments

/// The cache of a client that keeps nothing on disk. Its tables never throw, so a transaction cannot stop half-way.
package final class MemoryStorage: SyncStorage {
    /// When documents that nothing holds are removed.
    package enum Collector: Hashable, Sendable {
        /// At the end of the transaction that let go of them.
        case eager
        /// By `collectGarbage`, the longest unused first.
        case leastRecentlyUsed
    }

    package let viewReferences = ReferenceSet()
    package var sizeWatch: SizeWatch?
    private let tables: MemoryTables

    /// What is kept takes, roughly, queued writes aside.
    package var byteCount: Int { self.tables.byteCount }

    package init(collector: Collector) {
        self.tables = MemoryTables(collector: collector)
    }

    package func transaction<Result>(
        _ operation: StorageOperation,
        _ body: (any StorageTables) throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        self.tables.begin()
        let bytes = self.tables.byteCount
        let result = try body(self.tables)
        self.tables.commit(keeping: self.viewReferences)
        if let watch = self.sizeWatch, self.tables.byteCount > bytes, self.tables.byteCount >= watch.bytesMax {
            watch.exceeded()
        }
        return result
    }

    package func collectGarbage(
        _ limits: CollectionLimits,
        active: Set<TargetID>
    ) throws(StorageError) -> CollectionOutcome {
        self.tables.begin()
        let removed = self.tables.collect(limits, active: active, keeping: self.viewReferences)
        guard self.tables.collector == .leastRecentlyUsed else {
            return CollectionOutcome(removed: 0, isUnfinished: false)
        }
        let bytes = self.tables.byteCount
        return CollectionOutcome(
            removed: removed,
            isUnfinished: bytes >= limits.bytesMax,
            // However fast it grows, it does not grow beyond that.
            isUrgent: bytes / 5 * 4 >= limits.bytesMax
        )
    }

    /// There is nothing to let go of.
    package func close() {}
}
