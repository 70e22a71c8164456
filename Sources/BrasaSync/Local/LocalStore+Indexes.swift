internal import BrasaQueries

/// Nothing happens when the storage has no indexes on fields.
extension LocalStore {
    func hasIndexes() throws(StorageError) -> Bool {
        try self.storage.transaction(.configureIndexes) { tables throws(StorageError) in
            guard let indexes = tables.indexes else { return false }
            return try !indexes.fieldIndexes().isEmpty
        }
    }

    /// Removes all others.
    func setIndexes(_ definitions: [IndexDefinition]) throws(StorageError) {
        let isGrowing = try self.storage.transaction(.configureIndexes) { tables throws(StorageError) in
            guard let indexes = tables.indexes else { return false }
            let old = try indexes.fieldIndexes()
            for index in old where !definitions.contains(index.definition) { try indexes.removeFieldIndex(index) }
            let new = Set(definitions).subtracting(old.map(\.definition))
            for definition in definitions where new.contains(definition) { try indexes.addFieldIndex(definition) }
            for index in try indexes.fieldIndexes() where new.contains(index.definition) {
                try self.backfill(tables, indexes).begin(index)
            }
            return !new.isEmpty
        }
        if isGrowing { self.indexesAdded() }
    }

    /// The next few documents.
    func backfillIndexes() throws(StorageError) -> IndexBackfill.Outcome {
        try self.storage.transaction(.backfillIndexes) { tables throws(StorageError) in
            guard let indexes = tables.indexes else { return .noIndexes }
            return try self.backfill(tables, indexes).run()
        }
    }

    /// Makes indexes for a query that had to look at a lot of documents. Gives whether there are new ones.
    func makeIndexes(
        for query: SyncQuery,
        after run: QueryRunner.Run,
        in tables: any StorageTables
    ) throws(StorageError) -> Bool {
        guard self.createsIndexes, let indexes = tables.indexes, let read = run.scanned else { return false }
        let added = try AutomaticIndexes(indexes: indexes).make(for: query, read: read, found: run.documents.count)
        for index in added { try self.backfill(tables, indexes).begin(index) }
        return !added.isEmpty
    }

    private func backfill(_ tables: any StorageTables, _ indexes: any IndexTables) -> IndexBackfill {
        IndexBackfill(tables: tables, indexes: indexes, user: self.user)
    }
}
