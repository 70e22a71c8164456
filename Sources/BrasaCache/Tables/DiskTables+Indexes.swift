internal import BrasaCacheFile
internal import BrasaDocuments
internal import BrasaQueries
internal import BrasaSync

struct IndexStatements {
    let indexes, parts, addIndex, addPart, removeIndex, removeParts: TableStatement
    let progress, setProgress, allProgress: TableStatement

    init(_ connection: CacheConnection) throws(SQLiteError) {
        self.indexes = try connection.statement("SELECT id, collection_id, scope FROM field_indexes ORDER BY id")
        self.parts = try connection.statement(
            "SELECT path, kind FROM field_index_parts WHERE field_index = ? ORDER BY position"
        )
        self.addIndex = try connection.statement("INSERT INTO field_indexes (collection_id, scope) VALUES (?, ?)")
        self.addPart = try connection.statement("INSERT INTO field_index_parts VALUES (?, ?, ?, ?)")
        self.removeIndex = try connection.statement("DELETE FROM field_indexes WHERE id = ?")
        self.removeParts = try connection.statement("DELETE FROM field_index_parts WHERE field_index = ?")
        self.progress = try connection.statement(
            """
            SELECT stage, filled_through, last_change, sequence FROM index_progress WHERE field_index = ? AND user = ?
            """
        )
        self.setProgress = try connection.statement(
            """
            INSERT INTO index_progress (field_index, user, stage, filled_through, last_change, sequence)
            VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET stage = excluded.stage,
            filled_through = excluded.filled_through, last_change = excluded.last_change, sequence = excluded.sequence
            """
        )
        self.allProgress = try connection.statement(
            """
            SELECT stage, filled_through, last_change, sequence, user, number FROM index_progress WHERE field_index = ?
            """
        )
    }
}

/// The indexes and how far they go.
extension DiskTables: IndexTables {
    func fieldIndexes() throws(StorageError) -> [FieldIndex] { try self.loadedIndexes().all }

    func fieldIndexes(ofCollectionID id: UTF8Text) throws(StorageError) -> [FieldIndex] {
        try self.loadedIndexes().all.filter { $0.definition.collectionID == id }
    }

    func addFieldIndex(_ definition: IndexDefinition) throws(StorageError) {
        self.knownIndexes = nil
        try self.indexStatements.addIndex.run(
            .blob(definition.collectionID.bytes),
            .integer(StoredScope(definition.scope).rawValue)
        )
        let id = self.connection.file.lastInsertedID
        for (position, part) in definition.parts.enumerated() {
            try self.indexStatements.addPart.run(
                .integer(id),
                .integer(Int64(position)),
                .blob(Array(part.path.canonical.utf8)),
                .integer(StoredPartKind(part.kind).rawValue)
            )
        }
    }

    func removeFieldIndex(_ index: FieldIndex) throws(StorageError) {
        self.knownIndexes = nil
        let numbers = try self.indexStatements.allProgress.all(.integer(index.id)) { $0.integer(5) }
        for number in numbers { try self.removePart(number) }
        self.indexOwners = self.indexOwners.filter { $0.key.index != index.id }
        try self.indexStatements.removeParts.run(.integer(index.id))
        try self.indexStatements.removeIndex.run(.integer(index.id))
    }

    func parts(of index: IndexID) throws(StorageError) -> [IndexPart] {
        var unreadable: [Int64] = []
        let parts = try self.indexStatements.allProgress.all(.integer(index)) {
            row throws(StorageError) -> IndexPart? in
            do throws(StorageError) {
                return IndexPart(user: try self.names.user(row.integer(4)), progress: try self.progress(row))
            } catch {
                guard error.isDamage else { throw error }
                unreadable.append(row.integer(5))
                return nil
            }
        }
        // Begun anew, none of them is missed; left alone, each would keep all users' indexes from going on.
        for number in unreadable { try self.removePart(number) }
        return parts.compactMap(\.self)
    }

    func progress(of index: IndexID, for user: SyncUser) throws(StorageError) -> IndexProgress? {
        guard let number = try self.names.number(of: user) else { return nil }
        return try self.indexStatements.progress.first(
            .integer(index),
            .integer(number)
        ) { row throws(StorageError) in
            try self.progress(row)
        }
    }

    /// Of a row that begins with the columns from `stage` to `sequence`.
    private func progress(_ row: CacheRow) throws(StorageError) -> IndexProgress {
        let last = row.integer(2)
        guard last >= 0 else { throw self.damage("the progress of an index") }
        return IndexProgress(stage: try self.stage(row), lastChange: last, sequence: row.integer(3))
    }

    func setProgress(_ progress: IndexProgress, of index: IndexID, for user: SyncUser) throws(StorageError) {
        let stage: StoredIndexStage
        var through = SQLValue.null
        switch progress.stage {
        case .filling(let path):
            stage = .filling
            if let path { through = .blob(path.bytes.array) }
        case .ready: stage = .ready
        case .abandoned:
            stage = .abandoned
            // A new number, and with it none of the entries.
            try self.removePart(of: index, for: user)
        }
        try self.indexStatements.setProgress.run(
            .integer(index),
            .integer(try self.names.addedNumber(of: user)),
            .integer(stage.rawValue),
            through,
            .integer(progress.lastChange),
            .integer(progress.sequence)
        )
    }

    private func stage(_ row: CacheRow) throws(StorageError) -> IndexProgress.Stage {
        switch StoredIndexStage(rawValue: row.integer(0)) {
        case .filling:
            guard !row.isNull(1) else { return .filling(through: nil) }
            guard let path = try? ResourcePath(parsing: row.bytes(1)) else { break }
            return .filling(through: path)
        case .ready: return .ready
        case .abandoned: return .abandoned
        case nil: break
        }
        throw self.damage("the progress of an index")
    }

    // MARK: - Definitions

    /// What is kept in memory of the indexes.
    struct KnownIndexes {
        let all: [FieldIndex]
        let collectionIDs: Set<[UInt8]>
    }

    func loadedIndexes() throws(StorageError) -> KnownIndexes {
        if let known = self.knownIndexes { return known }
        let rows = try self.indexStatements.indexes.all { (id: $0.integer(0), name: $0.bytes(1), scope: $0.integer(2)) }
        var indexes: [FieldIndex] = []
        for row in rows {
            guard let name = UTF8Text(validating: row.name), let scope = StoredScope(rawValue: row.scope) else {
                throw self.damage("an index")
            }
            let parts = try self.indexStatements.parts.all(.integer(row.id)) { row throws(StorageError) in
                guard let path = try? FieldPath(parsing: row.bytes(0)),
                    let kind = StoredPartKind(rawValue: row.integer(1))
                else { throw self.damage("an index's field") }
                return IndexDefinition.Part(path, kind.kind)
            }
            let definition = IndexDefinition(collectionID: name, scope: scope.scope, parts: parts)
            indexes.append(FieldIndex(id: row.id, definition: definition))
        }
        let known = KnownIndexes(
            all: indexes,
            collectionIDs: Set(indexes.map { $0.definition.collectionID.bytes })
        )
        self.knownIndexes = known
        return known
    }
}

// Never changed: they are in files.

enum StoredIndexStage: Int64 {
    case filling = 0, ready, abandoned
}

private enum StoredScope: Int64 {
    case collection = 0, collectionGroup, collectionRecursive

    init(_ scope: IndexDefinition.Scope) {
        switch scope {
        case .collection: self = .collection
        case .collectionGroup: self = .collectionGroup
        case .collectionRecursive: self = .collectionRecursive
        }
    }

    var scope: IndexDefinition.Scope {
        switch self {
        case .collection: .collection
        case .collectionGroup: .collectionGroup
        case .collectionRecursive: .collectionRecursive
        }
    }
}

private enum StoredPartKind: Int64 {
    case ascending = 0, descending, contains

    init(_ kind: IndexDefinition.Part.Kind) {
        switch kind {
        case .ascending: self = .ascending
        case .descending: self = .descending
        case .contains: self = .contains
        }
    }

    var kind: IndexDefinition.Part.Kind {
        switch self {
        case .ascending: .ascending
        case .descending: .descending
        case .contains: .contains
        }
    }
}
