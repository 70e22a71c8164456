internal import BrasaCacheFile
internal import BrasaDocuments
internal import BrasaQueries
internal import BrasaSync

struct IndexEntryStatements {
    let owner, forwards, backwards, keys, add, remove: TableStatement
    let note, lastNoted, noted, overlays: TableStatement
    let documents, nextCollection, namedForwards, namedBackwards: TableStatement

    init(_ connection: CacheConnection) throws(SQLiteError) {
        self.owner = try connection.statement("SELECT number FROM index_progress WHERE field_index = ? AND user = ?")
        let range = "SELECT key, path FROM index_entries WHERE owner = ? AND key >= ? AND key < ?"
        self.forwards = try connection.statement("\(range) ORDER BY key LIMIT ?")
        self.backwards = try connection.statement("\(range) ORDER BY key DESC LIMIT ?")
        self.keys = try connection.statement("SELECT key FROM index_entries WHERE owner = ? AND path = ?")
        self.add = try connection.statement("INSERT OR REPLACE INTO index_entries VALUES (?, ?, ?)")
        self.remove = try connection.statement("DELETE FROM index_entries WHERE owner = ? AND key = ?")
        self.note = try connection.statement(
            "INSERT OR REPLACE INTO document_changes (path, collection_id) VALUES (?, ?)"
        )
        self.lastNoted = try connection.statement("SELECT seq FROM sqlite_sequence WHERE name = 'document_changes'")
        self.noted = try connection.statement(
            """
            SELECT number, path FROM document_changes WHERE collection_id = ? AND number > ? ORDER BY number LIMIT ?
            """
        )
        self.overlays = try connection.statement(
            """
            SELECT collection, id FROM overlays JOIN collections ON number = collection
            WHERE user = ? AND collection_id = ?
            """
        )
        self.documents = try connection.statement(
            "SELECT id FROM documents WHERE collection = ? AND id > ? ORDER BY id LIMIT ?"
        )
        self.nextCollection = try connection.statement(
            "SELECT number FROM collections WHERE collection_id = ? AND number > ? ORDER BY number LIMIT 1"
        )
        let named = """
            SELECT kind, is_committed, version, read_time, fields, id FROM documents
            WHERE collection = ? AND id >= ? AND id < ? ORDER BY id
            """
        self.namedForwards = try connection.statement("\(named) LIMIT ?")
        self.namedBackwards = try connection.statement("\(named) DESC LIMIT ?")
    }
}

/// The entries of indexes, and what they lack.
extension DiskTables {
    struct IndexOwner: Hashable {
        let index: IndexID
        let user: SyncUser
    }

    func entries(
        of index: IndexID,
        for user: SyncUser,
        in interval: KeyInterval,
        isReversed: Bool,
        limit: Int
    ) throws(StorageError) -> [FieldIndexEntry] {
        guard let owner = try self.number(of: IndexOwner(index: index, user: user)) else { return [] }
        let statements = self.indexEntryStatements
        let entries = try (isReversed ? statements.backwards : statements.forwards).all(
            .integer(owner),
            .blob(interval.start.firstKey),
            .blob(interval.end.firstKey),
            .integer(Int64(limit))
        ) { row throws(StorageError) in
            FieldIndexEntry(key: row.bytes(0), path: try self.indexedPath(row, 1))
        }
        try self.check(entries.lazy.map(\.key), in: interval, isReversed: isReversed)
        return entries
    }

    /// SQLite steps over the keys of a page without comparing them, so a damaged one could lead whoever goes on behind
    /// the last in circles.
    private func check(
        _ keys: some Sequence<[UInt8]>,
        in interval: KeyInterval,
        isReversed: Bool = false
    ) throws(StorageError) {
        let (start, end) = (interval.start.firstKey, interval.end.firstKey)
        var last: [UInt8]?
        for key in keys {
            guard ByteOrder.compare(key, start) != .ascending, ByteOrder.compare(key, end) == .ascending,
                last.map({ ByteOrder.compare($0, key) == (isReversed ? .descending : .ascending) }) ?? true
            else { throw self.damage("the order of keys") }
            last = key
        }
    }

    @discardableResult
    func setKeys(
        _ keys: [IndexKey],
        of path: ResourcePath,
        in index: IndexID,
        for user: SyncUser
    ) throws(StorageError) -> Int {
        guard let owner = try self.number(of: IndexOwner(index: index, user: user)) else { return 0 }
        let statements = self.indexEntryStatements
        let name = path.bytes.array
        let old = Set(try statements.keys.all(.integer(owner), .blob(name)) { $0.bytes(0) })
        let new = Set(keys.map(\.bytes))
        // Most changes are of other fields.
        let (leaving, coming) = (old.subtracting(new), new.subtracting(old))
        for key in leaving { try statements.remove.run(.integer(owner), .blob(key)) }
        for key in coming { try statements.add.run(.integer(owner), .blob(key), .blob(name)) }
        return leaving.count + coming.count
    }

    func number(of owner: IndexOwner) throws(StorageError) -> Int64? {
        if let number = self.indexOwners[owner] { return number }
        guard let user = try self.names.number(of: owner.user) else { return nil }
        let number = try self.indexEntryStatements.owner.first(.integer(owner.index), .integer(user)) { $0.integer(0) }
        self.indexOwners[owner] = number
        return number
    }

    private func indexedPath(_ row: CacheRow, _ column: Int32) throws(StorageError) -> ResourcePath {
        guard let path = try? ResourcePath(parsing: row.bytes(column)), path.isDocument else {
            throw self.damage("an indexed document's path")
        }
        return path
    }

    // MARK: - Changes

    /// To be called after every change of a document or of an overlay.
    func noteChange(of path: ResourcePath) throws(StorageError) {
        let ids = try self.loadedIndexes().collectionIDs
        guard !ids.isEmpty else { return }
        let id = Array(path.collectionID)
        guard ids.contains(id) else { return }
        try self.indexEntryStatements.note.run(.blob(path.bytes.array), .blob(id))
    }

    func lastChange() throws(StorageError) -> ChangeNumber {
        let last = try self.indexEntryStatements.lastNoted.first { $0.integer(0) } ?? 0
        guard last >= 0 else { throw self.damage("the number of the last change") }
        return last
    }

    func changes(
        ofCollectionID id: UTF8Text,
        after number: ChangeNumber,
        limit: Int
    ) throws(StorageError) -> [NotedChange] {
        var last = number
        return try self.indexEntryStatements.noted.all(
            .blob(id.bytes),
            .integer(number),
            .integer(Int64(limit))
        ) { row throws(StorageError) in
            let number = row.integer(0)
            guard number > last else { throw self.damage("the order of changes") }
            last = number
            return NotedChange(number: number, path: try self.indexedPath(row, 1))
        }
    }

    func noteOverlays(ofCollectionID id: UTF8Text, of user: SyncUser) throws(StorageError) {
        guard let number = try self.names.number(of: user) else { return }
        let keys = try self.indexEntryStatements.overlays.all(.integer(number), .blob(id.bytes)) { DocumentKey($0) }
        for key in keys { try self.noteChange(of: try self.path(of: key)) }
    }

    // MARK: - Names

    func documents(
        in collection: ResourcePath,
        named interval: KeyInterval,
        isReversed: Bool,
        limit: Int
    ) throws(StorageError) -> [SyncDocument] {
        guard let number = try self.names.number(of: collection) else { return [] }
        let statements = self.indexEntryStatements
        var ids: [[UInt8]] = []
        let documents = try (isReversed ? statements.namedBackwards : statements.namedForwards).all(
            .integer(number),
            .blob(interval.start.firstKey),
            .blob(interval.end.firstKey),
            .integer(Int64(limit))
        ) { row throws(StorageError) in
            ids.append(row.bytes(5))
            return try self.document(at: try self.path(in: collection, row, 5), row)
        }
        try self.check(ids, in: interval, isReversed: isReversed)
        return documents
    }

    // MARK: - Filling

    /// By the collections' numbers. What comes into a collection that is new then is noted as a change.
    func documentPaths(
        ofCollectionID id: UTF8Text,
        after path: ResourcePath?,
        limit: Int
    ) throws(StorageError) -> [ResourcePath] {
        var paths: [ResourcePath] = []
        // When a collection leaves the cache, those that stand in it begin anew, which is right if slow.
        let last = try path.flatMap { path throws(StorageError) in try self.key(of: path) }
        var collection = last?.collection ?? 0
        if let last { try self.appendPaths(behind: last.id, in: last.collection, limit: limit, &paths) }
        while paths.count < limit {
            let next = try self.indexEntryStatements.nextCollection.first(
                .blob(id.bytes),
                .integer(collection)
            ) { $0.integer(0) }
            guard let next else { break }
            guard next > collection else { throw self.damage("the order of collections") }
            collection = next
            try self.appendPaths(behind: [], in: next, limit: limit, &paths)
        }
        return paths
    }

    private func appendPaths(
        behind id: [UInt8],
        in collection: Int64,
        limit: Int,
        _ paths: inout [ResourcePath]
    ) throws(StorageError) {
        let parent = try self.names.collection(collection)
        var ids: [[UInt8]] = []
        paths += try self.indexEntryStatements.documents.all(
            .integer(collection),
            .blob(id),
            .integer(Int64(limit - paths.count))
        ) { row throws(StorageError) in
            ids.append(row.bytes(0))
            return try self.path(in: parent, row, 0)
        }
        try self.check(ids, in: KeyInterval(start: id.isEmpty ? .start : .after(id), end: .end))
    }
}

extension IndexPosition {
    /// The first key that does not come before this place. None begins with FF, which only ends parts that are reversed.
    fileprivate var firstKey: [UInt8] {
        guard self.isAfter else { return self.prefix }
        var key = self.prefix
        while key.last == 0xFF { key.removeLast() }
        guard let last = key.popLast() else { return [0xFF] }
        return key + [last + 1]
    }
}
