internal import BrasaDocuments

/// One user's overlays, found by document, by collection and by batch.
struct MemoryOverlays {
    private var collections: [ResourcePath: [ResourcePath: StoredOverlay]] = [:]
    private var byBatch: [BatchID: Set<ResourcePath>] = [:]

    var isEmpty: Bool { self.collections.isEmpty }

    subscript(path: ResourcePath) -> StoredOverlay? {
        get { self.isEmpty ? nil : path.parent.flatMap { self.collections[$0]?[path] } }
        set {
            guard newValue != nil || !self.isEmpty, let collection = path.parent else { return }
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

    mutating func removeAll(ofBatch id: BatchID) {
        for path in self.byBatch.removeValue(forKey: id) ?? [] { self[path] = nil }
    }
}
