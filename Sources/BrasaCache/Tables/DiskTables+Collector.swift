internal import BrasaCacheFile
internal import BrasaDocuments
internal import BrasaSync

struct CollectorStatements {
    let pageSize, pages, freePages: TableStatement
    let targetCount, orphanCount, targetSequences, orphanSequences: TableStatement
    let targets, removeTarget, addForgotten: TableStatement
    let forgotten, held, letGo, removeForgotten: TableStatement
    let orphans, removeUse: TableStatement
    let isCollectionUsed, removeCollection, fillAnew: TableStatement

    init(_ connection: CacheConnection) throws(SQLiteError) {
        self.pageSize = try connection.statement("PRAGMA page_size")
        self.pages = try connection.statement("PRAGMA page_count")
        self.freePages = try connection.statement("PRAGMA freelist_count")
        self.targetCount = try connection.statement("SELECT count(*) FROM targets")
        self.orphanCount = try connection.statement("SELECT count(*) FROM uses WHERE targets = 0")
        self.targetSequences = try connection.statement("SELECT id, sequence FROM targets ORDER BY sequence LIMIT ?")
        self.orphanSequences = try connection.statement(
            "SELECT sequence FROM uses WHERE targets = 0 ORDER BY sequence LIMIT ?"
        )
        self.targets = try connection.statement("SELECT id FROM targets WHERE sequence <= ?")
        self.removeTarget = try connection.statement("DELETE FROM targets WHERE id = ?")
        self.addForgotten = try connection.statement("INSERT INTO forgotten_targets VALUES (?)")
        self.forgotten = try connection.statement("SELECT id FROM forgotten_targets")
        self.removeForgotten = try connection.statement("DELETE FROM forgotten_targets WHERE id = ?")
        self.held = try connection.statement("SELECT collection, id FROM target_documents WHERE target = ? LIMIT ?")
        self.letGo = try connection.statement("UPDATE uses SET targets = targets - 1 WHERE collection = ? AND id = ?")
        self.orphans = try connection.statement(
            """
            SELECT collection, id FROM uses WHERE targets = 0 AND sequence <= ? ORDER BY sequence LIMIT ?
            """
        )
        self.removeUse = try connection.statement("DELETE FROM uses WHERE collection = ? AND id = ?")
        let tables = ["documents", "uses", "batch_documents"].map {
            "EXISTS (SELECT 1 FROM \($0) WHERE collection = ?1)"
        }
        self.isCollectionUsed = try connection.statement("SELECT \(tables.joined(separator: " OR "))")
        self.fillAnew = try connection.statement(
            """
            UPDATE index_progress SET filled_through = NULL
            WHERE stage = ?1 AND substr(filled_through, 1, length(?2)) = ?2
            """
        )
        self.removeCollection = try connection.statement("DELETE FROM collections WHERE number = ?")
    }
}

extension DiskTables {
    /// What the file's pages take that are in use.
    func usedBytes() throws(StorageError) -> Int {
        let pages = try self.number(self.collectorStatements.pages)
        let free = try self.number(self.collectorStatements.freePages)
        return (pages - free) * (try self.number(self.collectorStatements.pageSize))
    }

    /// One bite: never more than `countMax` documents, whatever the sequence numbers are, since everything else waits for it.
    func collect(
        _ limits: CollectionLimits,
        active: Set<TargetID>,
        keeping views: ReferenceSet
    ) throws(StorageError) -> CollectionOutcome {
        var removed = 0
        let isLarge = try self.usedBytes() >= limits.bytesMax
        if isLarge {
            let bound = try self.bound(limits, active: active)
            if let bound { removed += try self.forgetTargets(usedUpTo: bound, active: active) }
            removed += try self.letGoOfForgotten(countMax: limits.countMax)
            if let bound {
                removed += try self.removeOrphans(usedUpTo: bound, countMax: limits.countMax, keeping: views)
            }
        }
        removed += try self.shrinkFile()
        let isStillLarge = try self.usedBytes() >= limits.bytesMax
        let free = try self.freePagesToGiveBack()
        return CollectionOutcome(removed: removed, isUnfinished: isStillLarge || free > 0)
    }

    private func number(_ statement: TableStatement) throws(StorageError) -> Int {
        try statement.first { Int($0.integer(0)) } ?? 0
    }

    /// The n-th smallest sequence number of orphans and of targets that nobody listens to; nil when n is zero. Those that are
    /// listened to stay, so that they must not take the places of what can go.
    private func bound(_ limits: CollectionLimits, active: Set<TargetID>) throws(StorageError) -> SequenceNumber? {
        let statements = self.collectorStatements
        let total = try self.number(statements.targetCount) + self.number(statements.orphanCount)
        let count = min(limits.countMax, total * limits.percent / 100)
        guard count > 0 else { return nil }
        let targets = try statements.targetSequences.all(.integer(Int64(count + active.count))) { row in
            (id: row.integer(0), sequence: row.integer(1))
        }
        let sequences =
            try targets.filter { !active.contains($0.id) }.map(\.sequence)
            + statements.orphanSequences.all(.integer(Int64(count))) { $0.integer(0) }
        return sequences.sorted().prefix(count).last
    }

    /// Nobody can resume them any more; their documents are let go of a bite at a time.
    private func forgetTargets(
        usedUpTo bound: SequenceNumber,
        active: Set<TargetID>
    ) throws(StorageError) -> Int {
        let ids = try self.collectorStatements.targets.all(.integer(bound)) { $0.integer(0) }
            .filter { !active.contains($0) }
        for id in ids {
            try self.collectorStatements.removeTarget.run(.integer(id))
            try self.collectorStatements.addForgotten.run(.integer(id))
        }
        return ids.count
    }

    private func letGoOfForgotten(countMax: Int) throws(StorageError) -> Int {
        let statements = self.collectorStatements
        var left = countMax
        let targets = try statements.forgotten.all { $0.integer(0) }
        for target in targets where left > 0 {
            let keys = try statements.held.all(.integer(target), .integer(Int64(left))) { DocumentKey($0) }
            for key in keys {
                try self.targetStatements.removeKey.run(.integer(target), .integer(key.collection), .blob(key.id))
                try statements.letGo.run(.integer(key.collection), .blob(key.id))
            }
            if keys.count < left { try statements.removeForgotten.run(.integer(target)) }
            left -= keys.count
        }
        return countMax - left
    }

    private func removeOrphans(
        usedUpTo bound: SequenceNumber,
        countMax: Int,
        keeping views: ReferenceSet
    ) throws(StorageError) -> Int {
        let statements = self.collectorStatements
        let keys = try statements.orphans.all(.integer(bound), .integer(Int64(countMax))) { DocumentKey($0) }
        var removed = 0
        for key in keys {
            let path = try self.path(of: key)
            let isSeen = views.contains(path)
            let isQueued = try self.isQueued(key)
            if isSeen || isQueued {
                // In use now, so that it is not in the way of the next bite.
                try self.noteUse(of: key, targets: 0)
                continue
            }
            try self.documentStatements.remove.run(.integer(key.collection), .blob(key.id))
            try self.noteChange(of: path)
            try statements.removeUse.run(.integer(key.collection), .blob(key.id))
            removed += 1
        }
        for collection in Set(keys.map(\.collection)) { try self.removeIfUnused(collection) }
        return removed
    }

    private func removeIfUnused(_ collection: Int64) throws(StorageError) {
        let isUsed = try self.collectorStatements.isCollectionUsed.first(.integer(collection)) { $0.integer(0) == 1 }
        guard isUsed != true else { return }
        // Where an index stands that is being filled is the collection's place among the others. Should it come back, it would
        // be behind them all.
        try self.collectorStatements.fillAnew.run(
            .integer(StoredIndexStage.filling.rawValue),
            .blob(try self.names.collection(collection).bytes.array + Array("/".utf8))
        )
        try self.collectorStatements.removeCollection.run(.integer(collection))
        self.names.forget()
    }

    // MARK: - The file

    /// A tenth of the file may stay free for what comes next.
    private func freePagesToGiveBack() throws(StorageError) -> Int {
        let pages = try self.number(self.collectorStatements.pages)
        let free = try self.number(self.collectorStatements.freePages)
        return max(0, free - max(pages / 10, Self.freePagesLeast))
    }

    private static let freePagesLeast = 64
    private static let pagesPerBite = 500

    private func shrinkFile() throws(StorageError) -> Int {
        let pages = min(try self.freePagesToGiveBack(), Self.pagesPerBite)
        if pages > 0 { try self.connection.run { file throws(SQLiteError) in try file.shrink(pages: pages) } }
        return pages
    }
}
