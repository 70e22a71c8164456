internal import BrasaDocuments

/// One user's overlays, found by document, by collection and by batch.
struct MemoryOverlays {
    private var collections: [ResourcePath: [ResourcePath: StoredOverlay]] = [:]
    private var byBatch: [BatchID: Set<ResourcePath>] = [:]

    var isEmpty: Bool { self.collections.isEmpty }

    /// Of a document in that collection.
    subscript(path: ResourcePath, in collection: ResourcePath) -> StoredOverlay? {
        get { self.collections[collection]?[path] }
        set {
            guard newValue != nil || !self.isEmpty else { return }
            let old: StoredOverlay?
            if let newValue {
                old = self.collections[collection, default: [:]].updateValue(newValue, forKey: path)
                self.byBatch[newValue.batchID, default: []].insert(path)
            } else {
                old = self.collections[collection]?.removeValue(forKey: path)
                if old != nil, self.collections[collection]?.isEmpty == true { self.collections[collection] = nil }
            }
            if let old, old.batchID != newValue?.batchID { self.byBatch[old.batchID]?.remove(path) }
        }
    }

    func overlays(in collection: ResourcePath) -> [ResourcePath: StoredOverlay] {
        self.collections[collection] ?? [:]
    }

    func paths(ofBatch id: BatchID) -> Set<ResourcePath> { self.byBatch[id] ?? [] }

    /// Forgets the batch; its overlays are for the caller to remove.
    mutating func removePaths(ofBatch id: BatchID) -> Set<ResourcePath> { self.byBatch.removeValue(forKey: id) ?? [] }
}
