internal import BrasaDocuments

extension MemoryTables {
    func document(at path: ResourcePath) -> SyncDocument {
        guard let collection = self.collection(of: path) else { return .invalid(path) }
        return self.collections[collection]?[path] ?? .invalid(path)
    }

    func documents(in collection: ResourcePath, readAfter time: Timestamp) -> [SyncDocument] {
        self.collections[collection]?.values.filter { $0.readTime > time } ?? []
    }

    func setDocument(_ document: SyncDocument) {
        guard let collection = self.collection(of: document.path) else { return }
        let old = self.collections[collection, default: [:]].updateValue(document, forKey: document.path)
        self.documentBytes += document.byteCount - (old?.byteCount ?? 0)
        if old == nil {
            self.documentCount += 1
            self.retainCollection(of: document.path)
        }
        // What nobody ever uses is collected, too.
        if self.collector == .leastRecentlyUsed, self.uses[document.path] == nil { self.noteUse(of: document.path) }
    }

    func removeDocument(at path: ResourcePath) {
        guard let collection = self.collection(of: path) else { return }
        guard let old = self.collections[collection]?.removeValue(forKey: path) else { return }
        if self.collections[collection]?.isEmpty == true { self.collections[collection] = nil }
        self.documentBytes -= old.byteCount
        self.documentCount -= 1
        self.releaseCollection(of: path)
    }
}
