internal import BrasaDocuments

extension MemoryTables {
    func document(at path: ResourcePath) -> SyncDocument {
        guard let collection = path.parent else { return .invalid(path) }
        return self.collections[collection]?[path] ?? .invalid(path)
    }

    func documents(in collection: ResourcePath, readAfter time: Timestamp) -> [SyncDocument] {
        self.collections[collection]?.values.filter { $0.readTime > time } ?? []
    }

    func setDocument(_ document: SyncDocument) {
        guard let collection = document.path.parent else { return }
        let old = self.collections[collection, default: [:]].updateValue(document, forKey: document.path)
        self.byteCount += document.byteCount - (old?.byteCount ?? 0)
        self.registerCollection(of: document.path)
        // What nobody ever uses is collected, too.
        if self.collector == .leastRecentlyUsed, self.uses[document.path] == nil { self.noteUse(of: document.path) }
    }

    func removeDocument(at path: ResourcePath) {
        guard let collection = path.parent else { return }
        self.byteCount -= self.collections[collection]?.removeValue(forKey: path)?.byteCount ?? 0
        if self.collections[collection]?.isEmpty == true { self.collections[collection] = nil }
    }

    func collections(withID id: UTF8Text) -> [ResourcePath] {
        self.collectionsByID[id]?.sorted() ?? []
    }

    func registerCollection(of path: ResourcePath) {
        guard let collection = path.parent, let id = UTF8Text(validating: path.collectionID) else { return }
        self.collectionsByID[id, default: []].insert(collection)
    }
}

extension SyncDocument {
    fileprivate var byteCount: Int { self.path.bytes.count + self.fields.bytes.count }
}
