internal import BrasaCacheFile
internal import BrasaDocuments
internal import BrasaMessages
internal import BrasaSync
internal import BrasaWire

struct OverlayStatements {
    let get, inCollection, set, remove, ofBatch, removeBatch: TableStatement

    init(_ connection: CacheConnection) throws(SQLiteError) {
        self.get = try connection.statement(
            "SELECT batch, kind, paths, fields FROM overlays WHERE user = ? AND collection = ? AND id = ?"
        )
        self.inCollection = try connection.statement(
            "SELECT batch, kind, paths, fields, id FROM overlays WHERE user = ? AND collection = ?"
        )
        self.set = try connection.statement("INSERT OR REPLACE INTO overlays VALUES (?, ?, ?, ?, ?, ?, ?)")
        self.remove = try connection.statement("DELETE FROM overlays WHERE user = ? AND collection = ? AND id = ?")
        self.ofBatch = try connection.statement("SELECT collection, id FROM overlays WHERE user = ? AND batch = ?")
        self.removeBatch = try connection.statement("DELETE FROM overlays WHERE user = ? AND batch = ?")
    }
}

extension DiskTables {
    func overlay(at path: ResourcePath, of user: SyncUser) throws(StorageError) -> StoredOverlay? {
        guard let number = try self.names.number(of: user), let key = try self.key(of: path) else { return nil }
        return try self.overlayStatements.get.first(
            .integer(number),
            .integer(key.collection),
            .blob(key.id)
        ) { row throws(StorageError) in try self.overlay(row) }
    }

    func overlays(
        in collection: ResourcePath,
        of user: SyncUser
    ) throws(StorageError) -> [ResourcePath: StoredOverlay] {
        guard let user = try self.names.number(of: user), let number = try self.names.number(of: collection) else {
            return [:]
        }
        var overlays: [ResourcePath: StoredOverlay] = [:]
        try self.overlayStatements.inCollection.forEach(
            .integer(user),
            .integer(number)
        ) { row throws(StorageError) in
            overlays[try self.path(in: collection, row, 4)] = try self.overlay(row)
        }
        return overlays
    }

    func setOverlay(_ stored: StoredOverlay?, at path: ResourcePath, of user: SyncUser) throws(StorageError) {
        guard let stored else { return try self.removeOverlay(at: path, of: user) }
        let kind: StoredKind
        var (paths, fields) = (SQLValue.null, SQLValue.null)
        switch stored.overlay {
        case .set(let new): (kind, fields) = (.set, .blob(new.bytes.array))
        case .patch(let new, let mask):
            (kind, paths, fields) = (.patch, .blob(StoredMessages.bytes(of: mask)), .blob(new.bytes.array))
        case .delete: kind = .delete
        }
        let key = try self.addedKey(of: path)
        try self.overlayStatements.set.run(
            .integer(try self.names.addedNumber(of: user)),
            .integer(key.collection),
            .blob(key.id),
            .integer(stored.batchID),
            .integer(kind.rawValue),
            paths,
            fields
        )
        try self.noteChange(of: path)
    }

    private func removeOverlay(at path: ResourcePath, of user: SyncUser) throws(StorageError) {
        guard let number = try self.names.number(of: user), let key = try self.key(of: path) else { return }
        try self.overlayStatements.remove.run(.integer(number), .integer(key.collection), .blob(key.id))
        try self.noteChange(of: path)
    }

    func removeOverlays(ofBatch id: BatchID, of user: SyncUser) throws(StorageError) {
        guard let number = try self.names.number(of: user) else { return }
        let statements = self.overlayStatements
        let keys = try statements.ofBatch.all(.integer(number), .integer(id)) { DocumentKey($0) }
        try statements.removeBatch.run(.integer(number), .integer(id))
        for key in keys { try self.noteChange(of: try self.path(of: key)) }
    }

    /// Of a row that begins with an overlay's columns from `batch` on.
    func overlay(_ row: CacheRow) throws(StorageError) -> StoredOverlay {
        let overlay: Overlay
        switch StoredKind(rawValue: row.integer(1)) {
        case .set: overlay = .set(EncodedFields(canonical: ByteString(row.bytes(3))))
        case .patch:
            guard let paths = try? StoredMessages.mask(in: row.bytes(2)) else {
                throw self.damage("an overlay's paths")
            }
            overlay = .patch(EncodedFields(canonical: ByteString(row.bytes(3))), paths: paths)
        case .delete: overlay = .delete
        case nil: throw self.damage("an overlay's kind")
        }
        return StoredOverlay(batchID: row.integer(0), overlay: overlay)
    }
}

/// Never changed: they are in files.
private enum StoredKind: Int64 {
    case set = 0, patch, delete
}
