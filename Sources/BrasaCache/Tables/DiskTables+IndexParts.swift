internal import BrasaCacheFile
internal import BrasaDocuments
internal import BrasaSync

struct IndexPartStatements {
    let remove, addForgotten, forgotten, removeForgotten, removeEntries: TableStatement
    let changeCount, documentCount, overlayCount, nextChangedID, removeChanges: TableStatement

    init(_ connection: CacheConnection) throws(SQLiteError) {
        self.remove = try connection.statement("DELETE FROM index_progress WHERE number = ?")
        self.addForgotten = try connection.statement("INSERT OR IGNORE INTO forgotten_parts VALUES (?)")
        self.forgotten = try connection.statement(
            """
            SELECT number FROM forgotten_parts WHERE number > ? AND number NOT IN (
                SELECT number FROM index_progress WHERE stage != \(StoredIndexStage.abandoned.rawValue)
            ) ORDER BY number LIMIT 1
            """
        )
        self.removeForgotten = try connection.statement("DELETE FROM forgotten_parts WHERE number = ?")
        self.removeEntries = try connection.statement(
            """
            DELETE FROM index_entries WHERE owner = ?1 AND key IN (
                SELECT key FROM index_entries WHERE owner = ?1 ORDER BY key LIMIT ?2
            )
            """
        )
        self.changeCount = try connection.statement(
            "SELECT count(*) FROM document_changes WHERE collection_id = ? AND number > ?"
        )
        let collections = "SELECT number FROM collections WHERE collection_id = ?1"
        self.documentCount = try connection.statement(
            "SELECT count(*) FROM documents WHERE collection IN (\(collections))"
        )
        self.overlayCount = try connection.statement(
            "SELECT count(*) FROM overlays WHERE user = ?2 AND collection IN (\(collections))"
        )
        self.nextChangedID = try connection.statement(
            "SELECT collection_id FROM document_changes WHERE collection_id > ? ORDER BY collection_id LIMIT 1"
        )
        self.removeChanges = try connection.statement(
            """
            DELETE FROM document_changes WHERE number IN (
                SELECT number FROM document_changes WHERE collection_id = ?1 AND number <= ifnull(
                    (SELECT min(last_change) FROM field_indexes JOIN index_progress ON field_index = id
                    WHERE collection_id = ?1 AND stage != \(StoredIndexStage.abandoned.rawValue)),
                    \(ChangeNumber.max)
                ) ORDER BY number LIMIT ?2
            )
            """
        )
    }
}

/// What users' parts of indexes keep from being forgotten, and what is left when they go.
extension DiskTables {
    func removePart(of index: IndexID, for user: SyncUser) throws(StorageError) {
        let owner = IndexOwner(index: index, user: user)
        guard let number = try self.number(of: owner) else { return }
        try self.removePart(number)
    }

    func removePart(_ number: Int64) throws(StorageError) {
        self.indexOwners = self.indexOwners.filter { $0.value != number }
        try self.indexPartStatements.remove.run(.integer(number))
        try self.indexPartStatements.addForgotten.run(.integer(number))
    }

    func changeCount(ofCollectionID id: UTF8Text, after number: ChangeNumber) throws(StorageError) -> Int {
        try self.indexPartStatements.changeCount.first(.blob(id.bytes), .integer(number)) { Int($0.integer(0)) } ?? 0
    }

    func documentCount(ofCollectionID id: UTF8Text, of user: SyncUser) throws(StorageError) -> Int {
        let statements = self.indexPartStatements
        let documents = try statements.documentCount.first(.blob(id.bytes)) { Int($0.integer(0)) } ?? 0
        guard let number = try self.names.number(of: user) else { return documents }
        let overlays = try statements.overlayCount.first(.blob(id.bytes), .integer(number)) { Int($0.integer(0)) } ?? 0
        return documents + overlays
    }

    func forget(countMax: Int) throws(StorageError) -> Int {
        var left = countMax
        left -= try self.forgetEntries(countMax: left)
        left -= try self.forgetChanges(countMax: left)
        return countMax - left
    }

    private func forgetEntries(countMax: Int) throws(StorageError) -> Int {
        let statements = self.indexPartStatements
        var left = countMax
        var last: Int64 = -1
        // Damage may take rows out of their order, or make them name a part that is in use. What it hides is not freed,
        // but that is no reason for the indexes to stop.
        while left > 0, let part = try statements.forgotten.first(.integer(last), read: { $0.integer(0) }), part > last
        {
            left -= try statements.removeEntries.run(.integer(part), .integer(Int64(left)))
            guard left > 0 else { break }
            try statements.removeForgotten.run(.integer(part))
            last = part
        }
        return countMax - left
    }

    private func forgetChanges(countMax: Int) throws(StorageError) -> Int {
        let statements = self.indexPartStatements
        var left = countMax
        var id: [UInt8] = []
        while left > 0, let next = try statements.nextChangedID.first(.blob(id), read: { $0.bytes(0) }) {
            guard ByteOrder.compare(id, next) == .ascending else { break }
            left -= try statements.removeChanges.run(.blob(next), .integer(Int64(left)))
            id = next
        }
        return countMax - left
    }
}
