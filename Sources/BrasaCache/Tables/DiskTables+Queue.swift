internal import BrasaCacheFile
internal import BrasaDocuments
internal import BrasaMessages
internal import BrasaSync
internal import BrasaWire

struct QueueStatements {
    let append, addDocument, next, get, highest, all, affecting, remove, removeDocument, holdsDocument: TableStatement
    let position, setPosition: TableStatement

    init(_ connection: CacheConnection) throws(SQLiteError) {
        self.append = try connection.statement(
            "INSERT INTO batches (user, local_write_time, base_writes, writes) VALUES (?, ?, ?, ?)"
        )
        self.addDocument = try connection.statement("INSERT OR IGNORE INTO batch_documents VALUES (?, ?, ?, ?)")
        let columns = "SELECT id, local_write_time, base_writes, writes FROM batches WHERE user = ?"
        self.next = try connection.statement("\(columns) AND id > ? ORDER BY id LIMIT 1")
        self.get = try connection.statement("\(columns) AND id = ?")
        self.all = try connection.statement("\(columns) ORDER BY id")
        self.highest = try connection.statement("SELECT id FROM batches WHERE user = ? ORDER BY id DESC LIMIT 1")
        self.affecting = try connection.statement(
            "SELECT batch FROM batch_documents WHERE collection = ? AND id = ? AND user = ?"
        )
        self.remove = try connection.statement("DELETE FROM batches WHERE id = ? AND user = ?")
        self.removeDocument = try connection.statement(
            "DELETE FROM batch_documents WHERE collection = ? AND id = ? AND user = ? AND batch = ?"
        )
        self.position = try connection.statement(
            "SELECT write_stream, write_token FROM users WHERE number = ? AND write_stream IS NOT NULL"
        )
        self.setPosition = try connection.statement(
            "UPDATE users SET write_stream = ?, write_token = ? WHERE number = ?"
        )
        self.holdsDocument = try connection.statement(
            "SELECT 1 FROM batch_documents WHERE collection = ? AND id = ? LIMIT 1"
        )
    }
}

extension DiskTables {
    func appendBatch(_ pending: PendingBatch, of user: SyncUser) throws(StorageError) -> MutationBatch {
        let number = try self.names.addedNumber(of: user)
        try self.queueStatements.append.run(
            .integer(number),
            .integer(pending.localWriteTime.microseconds),
            .blob(try self.stored(pending.baseWrites)),
            .blob(try self.stored(pending.writes))
        )
        let id = self.connection.file.lastInsertedID
        let batch = MutationBatch(id: id, pending)
        for path in batch.paths {
            let key = try self.addedKey(of: path)
            try self.queueStatements.addDocument.run(
                .integer(key.collection),
                .blob(key.id),
                .integer(number),
                .integer(id)
            )
        }
        return batch
    }

    func nextBatch(after id: BatchID, of user: SyncUser) throws(StorageError) -> MutationBatch? {
        guard let number = try self.names.number(of: user) else { return nil }
        return try self.queueStatements.next.first(
            .integer(number),
            .integer(id)
        ) { row throws(StorageError) in try self.batch(row) }
    }

    func batch(_ id: BatchID, of user: SyncUser) throws(StorageError) -> MutationBatch? {
        guard let number = try self.names.number(of: user) else { return nil }
        return try self.queueStatements.get.first(
            .integer(number),
            .integer(id)
        ) { row throws(StorageError) in try self.batch(row) }
    }

    func highestBatchID(of user: SyncUser) throws(StorageError) -> BatchID? {
        guard let number = try self.names.number(of: user) else { return nil }
        return try self.queueStatements.highest.first(.integer(number)) { $0.integer(0) }
    }

    func batches(
        of user: SyncUser,
        affecting paths: Set<ResourcePath>
    ) throws(StorageError) -> [MutationBatch] {
        guard let number = try self.names.number(of: user) else { return [] }
        var ids: Set<BatchID> = []
        for path in paths {
            guard let key = try self.key(of: path) else { continue }
            try self.queueStatements.affecting.forEach(
                .integer(key.collection),
                .blob(key.id),
                .integer(number)
            ) { ids.insert($0.integer(0)) }
        }
        var batches: [MutationBatch] = []
        for id in ids.sorted() {
            guard let batch = try self.batch(id, of: user) else { throw self.damage("batch \(id) is not there") }
            batches.append(batch)
        }
        return batches
    }

    func allBatches(of user: SyncUser) throws(StorageError) -> [MutationBatch] {
        guard let number = try self.names.number(of: user) else { return [] }
        return try self.queueStatements.all.all(.integer(number)) { row throws(StorageError) in try self.batch(row) }
    }

    func removeBatch(_ batch: MutationBatch, of user: SyncUser) throws(StorageError) {
        guard let number = try self.names.number(of: user) else { return }
        try self.queueStatements.remove.run(.integer(batch.id), .integer(number))
        for path in batch.paths {
            let key = try self.addedKey(of: path)
            try self.queueStatements.removeDocument.run(
                .integer(key.collection),
                .blob(key.id),
                .integer(number),
                .integer(batch.id)
            )
            try self.noteUse(of: key, targets: 0)
        }
    }

    func writeStreamPosition(of user: SyncUser) throws(StorageError) -> WriteStreamPosition? {
        guard let number = try self.names.number(of: user) else { return nil }
        return try self.queueStatements.position.first(.integer(number)) { row throws(StorageError) in
            guard let id = UTF8Text(validating: row.bytes(0)) else { throw self.damage("a write stream") }
            return WriteStreamPosition(streamID: id, token: row.bytes(1))
        }
    }

    func setWriteStreamPosition(
        _ position: WriteStreamPosition?,
        of user: SyncUser
    ) throws(StorageError) {
        try self.queueStatements.setPosition.run(
            position.map { .blob($0.streamID.bytes) } ?? .null,
            position.map { .blob($0.token) } ?? .null,
            .integer(try self.names.addedNumber(of: user))
        )
    }

    /// Whether any user has queued a write to it.
    func isQueued(_ key: DocumentKey) throws(StorageError) -> Bool {
        try self.queueStatements.holdsDocument.first(.integer(key.collection), .blob(key.id)) { _ in true } ?? false
    }

    /// A queue that cannot be read back would stand still for ever, so that writes of which no message can be made are not
    /// queued at all.
    private func stored(_ writes: [Write]) throws(StorageError) -> [UInt8] {
        guard !writes.isEmpty else { return [] }
        let bytes = StoredMessages.bytes(of: writes, in: self.database)
        _ = try self.writes(in: bytes)
        return bytes
    }

    private func writes(in bytes: [UInt8]) throws(StorageError) -> [Write] {
        guard !bytes.isEmpty else { return [] }
        do throws(WireError) {
            return try StoredMessages.writes(in: bytes)
        } catch {
            throw StorageError(self.connection.operation, reason: "a write breaks the protocol's rules: \(error)")
        }
    }

    private func batch(_ row: CacheRow) throws(StorageError) -> MutationBatch {
        let writes = try self.writes(in: row.bytes(3))
        // Sent as it is, it would be acknowledged.
        guard !writes.isEmpty else { throw self.damage("a batch without writes") }
        let pending = PendingBatch(
            localWriteTime: try self.connection.time(row.integer(1)),
            baseWrites: try self.writes(in: row.bytes(2)),
            writes: writes
        )
        return MutationBatch(id: row.integer(0), pending)
    }
}
