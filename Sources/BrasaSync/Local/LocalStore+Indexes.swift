internal import BrasaQueries

/// Nothing happens when the storage has no indexes on fields.
extension LocalStore {
    /// Whether the storage can have such.
    func knowsIndexes() throws(StorageError) -> Bool {
        try self.storage.transaction(.configureIndexes) { tables throws(StorageError) in tables.indexes != nil }
    }

    /// Removes all others. What they have is freed later.
    func setIndexes(_ definitions: [IndexDefinition]) throws(StorageError) {
        let isChanged = try self.storage.transaction(.configureIndexes) { tables throws(StorageError) in
            guard let indexes = tables.indexes else { return false }
            let old = try indexes.fieldIndexes()
            let leaving = old.filter { !definitions.contains($0.definition) }
            for index in leaving { try indexes.removeFieldIndex(index) }
            let new = Set(definitions).subtracting(old.map(\.definition))
            for definition in definitions where new.contains(definition) { try indexes.addFieldIndex(definition) }
            let added = try indexes.fieldIndexes().filter { new.contains($0.definition) }
            try self.backfill(tables, indexes).begin(added)
            return !new.isEmpty || !leaving.isEmpty
        }
        if isChanged { self.indexesChanged() }
    }

    /// The next few documents.
    func backfillIndexes() throws(StorageError) -> IndexBackfill.Outcome {
        let lookedFor = self.lateLookedFor
        let (outcome, last) = try self.storage.transaction(.backfillIndexes) { tables throws(StorageError) in
            guard let indexes = tables.indexes else { return (IndexBackfill.Outcome.noIndexes, lookedFor) }
            var last = try indexes.lastChange()
            if let lookedFor, last - lookedFor < self.indexLimits.lateMin {
                last = lookedFor
            } else {
                try IndexParts(indexes: indexes, limits: self.indexLimits).removeLate()
            }
            return (try self.backfill(tables, indexes).run(), last)
        }
        self.lateLookedFor = last
        return outcome
    }

    /// Makes indexes for a query that had to look at a lot of documents. Gives whether there are new ones.
    func makeIndexes(
        for query: SyncQuery,
        after run: QueryRunner.Run,
        in tables: any StorageTables
    ) throws(StorageError) -> Bool {
        guard self.createsIndexes, let indexes = tables.indexes, let read = run.scanned else { return false }
        let added = try AutomaticIndexes(indexes: indexes).make(for: query, read: read, found: run.documents.count)
        try self.backfill(tables, indexes).begin(added)
        return !added.isEmpty
    }

    private func backfill(_ tables: any StorageTables, _ indexes: any IndexTables) -> IndexBackfill {
        IndexBackfill(tables: tables, indexes: indexes, user: self.user, limits: self.indexLimits)
    }
}
