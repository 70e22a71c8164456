internal import BrasaCacheFile
internal import BrasaDocuments
internal import BrasaSync

struct DocumentStatements {
    let get, inCollection, set, remove, use, firstUse: TableStatement

    init(_ connection: CacheConnection) throws(SQLiteError) {
        self.get = try connection.statement(
            "SELECT kind, is_committed, version, read_time, fields FROM documents WHERE collection = ? AND id = ?"
        )
        self.inCollection = try connection.statement(
            """
            SELECT kind, is_committed, version, read_time, fields, id FROM documents
            WHERE collection = ? AND read_time > ?
            """
        )
        self.set = try connection.statement("INSERT OR REPLACE INTO documents VALUES (?, ?, ?, ?, ?, ?, ?)")
        self.remove = try connection.statement("DELETE FROM documents WHERE collection = ? AND id = ?")
        self.use = try connection.statement(
            """
            INSERT INTO uses VALUES (?, ?, ?, ?)
            ON CONFLICT DO UPDATE SET sequence = excluded.sequence, targets = targets + excluded.targets
            """
        )
        self.firstUse = try connection.statement("INSERT OR IGNORE INTO uses VALUES (?, ?, ?, 0)")
    }
}

extension DiskTables {
    func document(at path: ResourcePath) throws(StorageError) -> SyncDocument {
        guard let key = try self.key(of: path) else { return .invalid(path) }
        let document = try self.documentStatements.get.first(
            .integer(key.collection),
            .blob(key.id)
        ) { row throws(StorageError) in try self.document(at: path, row) }
        return document ?? .invalid(path)
    }

    func documents(in collection: ResourcePath, readAfter time: Timestamp) throws(StorageError) -> [SyncDocument] {
        guard let number = try self.names.number(of: collection) else { return [] }
        return try self.documentStatements.inCollection.all(
            .integer(number),
            .integer(time.microseconds)
        ) { row throws(StorageError) in
            try self.document(at: try self.path(in: collection, row, 5), row)
        }
    }

    func setDocument(_ document: SyncDocument) throws(StorageError) {
        let key = try self.addedKey(of: document.path)
        let kind: StoredKind
        var fields = SQLValue.null
        switch document.kind {
        case .invalid: return try self.removeDocument(at: document.path)
        case .found(let found): (kind, fields) = (.found, .blob(found.bytes.array))
        case .missing: kind = .missing
        case .unknown: kind = .unknown
        }
        try self.documentStatements.set.run(
            .integer(key.collection),
            .blob(key.id),
            .integer(kind.rawValue),
            .integer(document.hasCommittedMutations ? 1 : 0),
            .integer(document.version.microseconds),
            .integer(document.readTime.microseconds),
            fields
        )
        try self.noteChange(of: document.path)
        // What nobody ever uses is collected, too.
        try self.documentStatements.firstUse.run(.integer(key.collection), .blob(key.id), .integer(self.sequence))
    }

    func removeDocument(at path: ResourcePath) throws(StorageError) {
        guard let key = try self.key(of: path) else { return }
        try self.documentStatements.remove.run(.integer(key.collection), .blob(key.id))
        try self.noteChange(of: path)
    }

    func collections(withID id: UTF8Text) throws(StorageError) -> [ResourcePath] {
        try self.names.collections(withID: id)
    }

    func noteUse(of path: ResourcePath) throws(StorageError) {
        try self.noteUse(of: try self.addedKey(of: path), targets: 0)
    }

    /// In this transaction; `targets` more targets hold the document.
    func noteUse(of key: DocumentKey, targets: Int64) throws(StorageError) {
        try self.documentStatements.use.run(
            .integer(key.collection),
            .blob(key.id),
            .integer(self.sequence),
            .integer(targets)
        )
    }

    /// Of a row that begins with a document's columns from `kind` on.
    func document(at path: ResourcePath, _ row: CacheRow) throws(StorageError) -> SyncDocument {
        let kind: SyncDocument.Kind
        switch StoredKind(rawValue: row.integer(0)) {
        case .found: kind = .found(EncodedFields(canonical: ByteString(row.bytes(4))))
        case .missing: kind = .missing
        case .unknown: kind = .unknown
        case nil: throw self.damage("the kind of \(path)")
        }
        return SyncDocument(
            path: path,
            kind: kind,
            version: try self.connection.time(row.integer(2)),
            state: row.integer(1) == 1 ? .committedMutations : .synced,
            readTime: try self.connection.time(row.integer(3))
        )
    }
}

/// Never changed: they are in files.
private enum StoredKind: Int64 {
    case found = 0, missing, unknown
}
