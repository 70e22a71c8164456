import BrasaSync

/// A storage whose transactions fail when they are told to.
final class FailingStorage: SyncStorage {
    private let base: any SyncStorage
    var failing: Set<StorageOperation> = []
    /// Transactions that were begun.
    private(set) var counts: [StorageOperation: Int] = [:]

    init(_ base: any SyncStorage) {
        self.base = base
    }

    var viewReferences: ReferenceSet { self.base.viewReferences }

    func transaction<Result>(
        _ operation: StorageOperation,
        _ body: (any StorageTables) throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        self.counts[operation, default: 0] += 1
        if self.failing.contains(operation) { throw StorageError(operation, reason: "told to fail") }
        return try self.base.transaction(operation, body)
    }

    func collectGarbage(
        _ limits: CollectionLimits,
        active: Set<TargetID>
    ) throws(StorageError) -> CollectionOutcome {
        if self.failing.contains(.collectGarbage) { throw StorageError(.collectGarbage, reason: "told to fail") }
        return try self.base.collectGarbage(limits, active: active)
    }

    var sizeWatch: SizeWatch? {
        get { self.base.sizeWatch }
        set { self.base.sizeWatch = newValue }
    }

    func close() {
        self.base.close()
    }
}
