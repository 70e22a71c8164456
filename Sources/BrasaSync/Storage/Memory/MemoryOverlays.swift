internal import BrasaDocuments

/// One user's overlays, found by document, by collection and by batch.
struct MemoryOverlays {
    private var collections: [ResourcePath: [ResourcePath: StoredOverlay]] = [:]
    private var byBatch: [BatchID: Set<ResourcePath>] = [:]

    var isEmpty: Bool { self.collections.isEmpty }

    subscript(path: ResourcePath) -> StoredOverlay? {
        get { self.isEmpty ? nil : path.parent.flatMap { self.collections[$0]?[path] } }
        set {
            guard let collection = path.parent else { return }
            if let old = self.collections[collection]?[path] { self.byBatch[old.batchID]?.remove(path) }
            self.collections[collection, default: [:]][path] = newValue
            if self.collections[collection]?.isEmpty == true { self.collections[collection] = nil }
            if let newValue { self.byBatch[newValue.batchID, default: []].insert(path) }
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
