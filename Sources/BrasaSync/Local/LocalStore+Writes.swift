internal import BrasaDocuments

extension LocalStore {
    /// Queues a batch. Gives its id and the documents as they look now.
    func writeLocally(
        _ writes: [Write],
        at time: Timestamp
    ) throws(StorageError) -> (id: BatchID, changed: DocumentMap) {
        try self.storage.transaction(.writeLocally) { tables throws(StorageError) in
            var states: [ResourcePath: (document: SyncDocument, changes: FieldChanges)] = [:]
            for path in writes.lazy.map(\.name.path) where states[path] == nil {
                let base = try tables.document(at: path)
                var state = try self.documents(tables).overlaid(base)
                // There is nothing that a patch could be a patch of.
                if !base.isValid { state.changes = .whole }
                states[path] = state
            }
            let baseWrites = writes.compactMap { write in
                states[write.name.path].flatMap { write.incrementBase(in: $0.document) }
            }
            let pending = PendingBatch(localWriteTime: time, baseWrites: baseWrites, writes: writes)
            let batch = try tables.appendBatch(pending, of: self.user)
            var changed: DocumentMap = [:]
            for (path, state) in states {
                var document = state.document
                let changes = batch.applyLocally(to: &document, changes: state.changes)
                if let overlay = Overlay(of: document, changes) {
                    let stored = StoredOverlay(batchID: batch.id, overlay: overlay)
                    try tables.setOverlay(stored, at: path, of: self.user)
                }
                if !document.isValid { document.assumeMissing() }
                changed[path] = document
            }
            return (batch.id, changed)
        }
    }

    func nextBatch(after id: BatchID) throws(StorageError) -> MutationBatch? {
        try self.storage.transaction(.nextBatch) { tables throws(StorageError) in
            try tables.nextBatch(after: id, of: self.user)
        }
    }

    func highestBatchID() throws(StorageError) -> BatchID? {
        try self.storage.transaction(.highestBatchID) { tables throws(StorageError) in
            try tables.highestBatchID(of: self.user)
        }
    }

    func writeStreamPosition() throws(StorageError) -> WriteStreamPosition? {
        try self.storage.transaction(.nextBatch) { tables throws(StorageError) in
            try tables.writeStreamPosition(of: self.user)
        }
    }

    func setWriteStreamPosition(_ position: WriteStreamPosition?) throws(StorageError) {
        try self.storage.transaction(.noteWriteStream) { tables throws(StorageError) in
            try tables.setWriteStreamPosition(position, of: self.user)
        }
    }

    /// Gives the batch's documents as they look now, or nothing where nobody looks.
    func acknowledge(_ acknowledgement: Acknowledgement, isShown: Bool = true) throws(StorageError) -> DocumentMap {
        try self.storage.transaction(.acknowledgeBatch) { tables throws(StorageError) in
            let batch = acknowledgement.batch
            for path in batch.paths {
                var document = try tables.document(at: path)
                // Watch may have been faster.
                guard document.version < acknowledgement.version(of: path) else { continue }
                batch.applyAcknowledged(to: &document, acknowledgement)
                guard document.isValid else { continue }
                document.readTime = acknowledgement.commitTime
                try tables.setDocument(document)
            }
            if let position = acknowledgement.position { try tables.setWriteStreamPosition(position, of: self.user) }
            return try self.remove(batch, from: tables, isShown: isShown)
        }
    }

    /// Gives the batch's documents as they look now. The server said so after all its answers on that stream, which is
    /// over with it: a refusal takes no place among the answers that a resumed stream would begin with.
    func reject(_ id: BatchID) throws(StorageError) -> DocumentMap {
        try self.storage.transaction(.rejectBatch) { tables throws(StorageError) in
            guard let batch = try tables.batch(id, of: self.user) else { return [:] }
            try tables.setWriteStreamPosition(nil, of: self.user)
            return try self.remove(batch, from: tables)
        }
    }

    private func remove(
        _ batch: MutationBatch,
        from tables: any StorageTables,
        isShown: Bool = true
    ) throws(StorageError) -> DocumentMap {
        try tables.removeBatch(batch, of: self.user)
        try tables.removeOverlays(ofBatch: batch.id, of: self.user)
        // Later batches may have been folded over an estimate that is known better now.
        try self.documents(tables).recalculateOverlays(at: Set(batch.paths))
        return isShown ? try self.documents(tables).documents(at: batch.paths) : [:]
    }
}
