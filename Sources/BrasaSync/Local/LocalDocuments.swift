internal import BrasaDocuments

/// Documents as their user sees them: the server's with the user's overlays on top. Nothing else puts the two together.
struct LocalDocuments {
    let tables: any StorageTables
    let user: SyncUser

    func document(at path: ResourcePath) throws(StorageError) -> SyncDocument {
        try self.overlaid(try self.tables.document(at: path)).document
    }

    func documents(at paths: some Sequence<ResourcePath>) throws(StorageError) -> DocumentMap {
        var documents: DocumentMap = [:]
        for path in paths { documents[path] = try self.document(at: path) }
        return documents
    }

    /// With what the overlay has changed.
    func overlaid(_ base: SyncDocument) throws(StorageError) -> (document: SyncDocument, changes: FieldChanges) {
        guard let stored = try self.tables.overlay(at: base.path, of: self.user) else { return (base, .none) }
        var document = base
        stored.overlay.apply(to: &document)
        return (document, stored.overlay.changes)
    }

    /// The user's view of documents that have just changed. Where one came into being or ceased to be, writes that
    /// depend on that may begin or cease to show.
    func views(
        of changed: DocumentMap,
        existenceChanged: Set<ResourcePath>
    ) throws(StorageError) -> DocumentMap {
        try self.recalculateOverlays(at: existenceChanged)
        var documents: DocumentMap = [:]
        for (path, base) in changed { documents[path] = try self.overlaid(base).document }
        return documents
    }

    /// Works out anew what the queued writes make of documents.
    func recalculateOverlays(at paths: Set<ResourcePath>) throws(StorageError) {
        guard !paths.isEmpty else { return }
        var states: [ResourcePath: FoldedWrites] = [:]
        for batch in try self.tables.batches(of: self.user, affecting: paths) {
            for path in batch.paths where paths.contains(path) {
                if states[path] == nil {
                    states[path] = FoldedWrites(on: try self.tables.document(at: path))
                }
                states[path]?.fold(batch)
            }
        }
        for path in paths {
            let overlay = states[path].flatMap(\.overlay)
            try self.tables.setOverlay(overlay, at: path, of: self.user)
        }
    }
}

/// A document under one queued batch after the other.
private struct FoldedWrites {
    private var document: SyncDocument
    private var changes: FieldChanges
    private var batchID: BatchID = 0

    init(on base: SyncDocument) {
        self.document = base
        // Without a base there is nothing that a patch could be a patch of.
        self.changes = base.isValid ? .none : .whole
    }

    mutating func fold(_ batch: MutationBatch) {
        self.changes = batch.applyLocally(to: &self.document, changes: self.changes)
        self.batchID = batch.id
    }

    var overlay: StoredOverlay? {
        Overlay(of: self.document, self.changes).map { StoredOverlay(batchID: self.batchID, overlay: $0) }
    }
}
