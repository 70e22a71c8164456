internal import BrasaDocuments

extension LocalStore {
    /// Whether a bundle is newer than the one with its id that was loaded last.
    func isNew(_ bundle: Bundle.Metadata) throws(StorageError) -> Bool {
        try self.storage.transaction(.bundle) { tables throws(StorageError) in
            guard let known = try tables.bundleCreateTime(bundle.id) else { return true }
            return known < bundle.createTime
        }
    }

    /// Takes over what is newer than the cache; gives the user's view of that.
    func loadDocuments(of bundle: Bundle) throws(StorageError) -> DocumentMap {
        // The bundle's documents are held by a target of its own.
        let holder = try self.allocateTarget(.bundle(bundle.metadata.id))
        return try self.storage.transaction(.bundle) { tables throws(StorageError) -> DocumentMap in
            var documents: DocumentMap = [:]
            for entry in bundle.entries { documents[entry.document.path] = entry.document }
            let changed = try self.store(documents, in: tables)
            try tables.removeRemoteKeys(try tables.remoteKeys(of: holder.id), from: holder.id)
            try tables.addRemoteKeys(Set(documents.values.filter(\.isFound).map(\.path)), to: holder.id)
            return changed
        }
    }

    func saveQueries(of bundle: Bundle) throws(StorageError) {
        for query in bundle.queries {
            let results = bundle.entries.filter { $0.queries.contains(query.name) }.map(\.document.path)
            try self.save(query, results: Set(results))
        }
    }

    func noteLoaded(_ bundle: Bundle.Metadata) throws(StorageError) {
        try self.storage.transaction(.bundle) { tables throws(StorageError) in
            try tables.setBundleCreateTime(bundle.createTime, of: bundle.id)
        }
    }

    func namedQuery(_ name: UTF8Text) throws(StorageError) -> NamedQuery? {
        try self.storage.transaction(.bundle) { tables throws(StorageError) in try tables.namedQuery(name) }
    }

    /// A listener to the query begins where the bundle was read, if that is newer than what we know.
    private func save(_ query: NamedQuery, results: Set<ResourcePath>) throws(StorageError) {
        var data = try self.allocateTarget(query.query.target)
        let isNewer = query.readTime > data.snapshotVersion
        try self.storage.transaction(.bundle) { tables throws(StorageError) in
            try tables.setNamedQuery(query)
            guard isNewer else { return }
            data.resume(at: query.readTime, token: [])
            try tables.setTargetData(data)
            try tables.removeRemoteKeys(try tables.remoteKeys(of: data.id), from: data.id)
            try tables.addRemoteKeys(results, to: data.id)
        }
        if isNewer { self.targetData[data.id] = data }
    }
}
