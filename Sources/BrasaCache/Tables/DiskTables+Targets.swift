internal import BrasaCacheFile
internal import BrasaDocuments
internal import BrasaMessages
internal import BrasaSync
internal import BrasaWire

struct TargetStatements {
    let get, set, keys, addKey, removeKey: TableStatement

    init(_ connection: CacheConnection) throws(SQLiteError) {
        self.get = try connection.statement(
            """
            SELECT id, sequence, snapshot_version, limbo_free_version, resume_token FROM targets WHERE target = ?
            """
        )
        self.set = try connection.statement(
            """
            INSERT INTO targets VALUES (?, ?, ?, ?, ?, ?)
            ON CONFLICT (id) DO UPDATE SET sequence = excluded.sequence, snapshot_version = excluded.snapshot_version,
                limbo_free_version = excluded.limbo_free_version, resume_token = excluded.resume_token
            """
        )
        self.keys = try connection.statement("SELECT collection, id FROM target_documents WHERE target = ?")
        self.addKey = try connection.statement("INSERT OR IGNORE INTO target_documents VALUES (?, ?, ?)")
        self.removeKey = try connection.statement(
            "DELETE FROM target_documents WHERE target = ? AND collection = ? AND id = ?"
        )
    }
}

extension DiskTables {
    func targetData(for target: SyncTarget) throws(StorageError) -> TargetData? {
        try self.targetStatements.get.first(.blob(target.stored(in: self.database))) { row throws(StorageError) in
            TargetData(
                target: target,
                id: row.integer(0),
                purpose: .listen,
                sequence: row.integer(1),
                snapshotVersion: try self.connection.time(row.integer(2)),
                lastLimboFreeVersion: try self.connection.time(row.integer(3)),
                resumeToken: row.bytes(4)
            )
        }
    }

    func allocateTargetID() throws(StorageError) -> TargetID { try self.globals.allocateTargetID() }

    func setTargetData(_ data: TargetData) throws(StorageError) {
        try self.targetStatements.set.run(
            .integer(data.id),
            .blob(data.target.stored(in: self.database)),
            .integer(data.sequence),
            .integer(data.snapshotVersion.microseconds),
            .integer(data.lastLimboFreeVersion.microseconds),
            .blob(data.resumeToken)
        )
    }

    func releaseTarget(_ data: TargetData, seen: [ResourcePath]) throws(StorageError) {
        var data = data
        data.sequence = self.sequence
        try self.setTargetData(data)
    }

    func remoteKeys(of target: TargetID) throws(StorageError) -> Set<ResourcePath> {
        var paths: Set<ResourcePath> = []
        // They come one collection after the other.
        var collection: (number: Int64, path: ResourcePath)?
        try self.targetStatements.keys.forEach(.integer(target)) { row throws(StorageError) in
            let number = row.integer(0)
            if collection?.number != number { collection = (number, try self.names.collection(number)) }
            guard let collection else { return }
            paths.insert(try self.path(in: collection.path, row, 1))
        }
        return paths
    }

    func addRemoteKeys(_ paths: Set<ResourcePath>, to target: TargetID) throws(StorageError) {
        for path in paths {
            let key = try self.addedKey(of: path)
            let added = try self.targetStatements.addKey.run(
                .integer(target),
                .integer(key.collection),
                .blob(key.id)
            )
            try self.noteUse(of: key, targets: Int64(added))
        }
    }

    func removeRemoteKeys(_ paths: Set<ResourcePath>, from target: TargetID) throws(StorageError) {
        for path in paths {
            let key = try self.addedKey(of: path)
            let removed = try self.targetStatements.removeKey.run(
                .integer(target),
                .integer(key.collection),
                .blob(key.id)
            )
            try self.noteUse(of: key, targets: -Int64(removed))
        }
    }

    func lastRemoteSnapshotVersion() throws(StorageError) -> Timestamp {
        try self.globals.lastRemoteSnapshotVersion()
    }

    func setLastRemoteSnapshotVersion(_ version: Timestamp) throws(StorageError) {
        try self.globals.setLastRemoteSnapshotVersion(version)
    }
}

extension SyncTarget {
    /// Equal targets are equal bytes. Never changed: they are in files.
    func stored(in database: DatabaseName) -> [UInt8] {
        switch self {
        case .document(let path): return [0] + path.bytes.array
        case .query(let query, let parent):
            // Nothing that a query hangs below is a collection.
            guard let parent = ParentName(database: database, path: parent) else { return [] }
            return [1] + StoredMessages.bytes(of: query, below: parent)
        case .bundle(let id): return [2] + id.bytes
        }
    }

    /// Nil when the bytes are nothing that `stored` made.
    init?(stored bytes: [UInt8]) {
        let rest = bytes.dropFirst()
        switch bytes.first {
        case 0:
            guard let path = try? ResourcePath(parsing: rest), path.isDocument else { return nil }
            self = .document(path)
        case 1:
            guard let (query, parent) = try? StoredMessages.query(in: Array(rest)) else { return nil }
            self = .query(query, parent: parent.path)
        case 2:
            guard let id = UTF8Text(validating: rest) else { return nil }
            self = .bundle(id)
        default: return nil
        }
    }
}
