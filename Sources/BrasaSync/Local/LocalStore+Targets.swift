internal import BrasaDocuments

/// What the cache has for a query.
struct QueryResult {
    let documents: DocumentMap
    let remoteKeys: Set<ResourcePath>
}

/// Documents that came to a view or left it.
struct LocalViewChanges {
    let target: TargetID
    let isFromCache: Bool
    let added: [ResourcePath]
    let removed: [ResourcePath]
}

extension LocalStore {
    /// The target's data from the cache, or new data.
    func allocateTarget(_ target: SyncTarget) throws(StorageError) -> TargetData {
        let data = try self.storage.transaction(.allocateTarget) { tables throws(StorageError) -> TargetData in
            if let data = try tables.targetData(for: target) { return data }
            let id = try tables.allocateTargetID()
            let data = TargetData(target: target, id: id, purpose: .listen, sequence: tables.sequence)
            try tables.setTargetData(data)
            return data
        }
        if let known = self.targetData[data.id], known.snapshotVersion >= data.snapshotVersion { return known }
        self.targetData[data.id] = data
        return data
    }

    /// A storage that fails here keeps what it has until the collector finds it.
    func releaseTarget(_ id: TargetID) {
        guard let data = self.targetData[id] else { return }
        self.targetData[id] = nil
        let seen = self.storage.viewReferences.removeAll(of: id)
        try? self.storage.transaction(.releaseTarget) { tables throws(StorageError) in
            try tables.releaseTarget(data, seen: seen)
        }
    }

    /// Runs the query on the cache. Without `usingPreviousResults` every document is looked at, unless indexes help.
    /// Without a view nobody asks for the remote keys.
    func execute(
        _ query: SyncQuery,
        usingPreviousResults: Bool,
        forView: Bool = true
    ) throws(StorageError) -> QueryResult {
        var hasNewIndexes = false
        let result = try self.storage.transaction(.executeQuery) { tables throws(StorageError) -> QueryResult in
            let stored = try tables.targetData(for: query.target)
            let data = stored.map { self.targetData[$0.id] ?? $0 }
            var known: Set<ResourcePath>?
            func remoteKeys() throws(StorageError) -> Set<ResourcePath> {
                guard let data else { return [] }
                if let known { return known }
                let keys = try tables.remoteKeys(of: data.id)
                known = keys
                return keys
            }
            let run = try QueryRunner(tables: tables, user: self.user).run(
                query,
                lastLimboFreeVersion: usingPreviousResults ? data?.lastLimboFreeVersion ?? .zero : .zero,
                remoteKeys: try remoteKeys()
            )
            hasNewIndexes = try self.makeIndexes(for: query, after: run, in: tables)
            return QueryResult(documents: run.documents, remoteKeys: forView ? try remoteKeys() : [])
        }
        if hasNewIndexes { self.indexesChanged() }
        return result
    }

    /// What the server has named as the query's results, as the user sees it. Gives as well how what is kept of it has
    /// changed the user's view of the cache.
    func take(
        _ results: DocumentMap,
        of query: SyncQuery,
        keeping kept: DocumentMap
    ) throws(StorageError) -> (value: DocumentMap, changed: DocumentMap) {
        try self.storage.transaction(.executeQuery) { tables throws(StorageError) in
            let changed = try self.keep(kept, in: tables)
            return (try QueryRunner(tables: tables, user: self.user).run(query, onResults: results), changed)
        }
    }

    /// The same for one document.
    func take(
        _ document: SyncDocument,
        isKept: Bool
    ) throws(StorageError) -> (value: SyncDocument, changed: DocumentMap) {
        try self.storage.transaction(.executeQuery) { tables throws(StorageError) in
            let path = document.path
            let cached = try tables.document(at: path)
            let isNews = isKept ? try self.store(document, over: cached, in: tables) : false
            if isKept { try tables.noteUse(of: path) }
            let documents = self.documents(tables)
            guard isNews else {
                let newest = cached.isValid && cached.version > document.version ? cached : document
                return (try documents.overlaid(newest).document, [:])
            }
            if cached.isFound != document.isFound { try documents.recalculateOverlays(at: [path]) }
            let seen = try documents.overlaid(document).document
            return (seen, [path: seen])
        }
    }

    private func keep(_ documents: DocumentMap, in tables: any StorageTables) throws(StorageError) -> DocumentMap {
        let changed = try self.store(documents, in: tables)
        for path in documents.keys { try tables.noteUse(of: path) }
        return changed
    }

    func remoteKeys(of target: TargetID) throws(StorageError) -> Set<ResourcePath> {
        try self.storage.transaction(.remoteKeys) { tables throws(StorageError) in
            try tables.remoteKeys(of: target)
        }
    }

    /// A new view holds on to what it shows, too.
    func hold(_ paths: some Sequence<ResourcePath>, for target: TargetID) {
        for path in paths { self.storage.viewReferences.add(path, target) }
    }

    /// Nobody looks at it any more, and the cache knows no target with this id.
    func letGo(of target: TargetID) {
        let seen = self.storage.viewReferences.removeAll(of: target)
        guard !seen.isEmpty else { return }
        try? self.storage.transaction(.notifyLocalViewChanges) { tables throws(StorageError) in
            for path in seen { try tables.noteUse(of: path) }
        }
    }

    /// Views hold on to what they show. A storage that fails here collects a little too early or too late.
    func note(_ changes: [LocalViewChanges]) {
        for change in changes {
            for path in change.added { self.storage.viewReferences.add(path, change.target) }
            for path in change.removed { self.storage.viewReferences.remove(path, change.target) }
        }
        let used = changes.flatMap { $0.added + $0.removed }
        if !used.isEmpty {
            try? self.storage.transaction(.notifyLocalViewChanges) { tables throws(StorageError) in
                for path in used { try tables.noteUse(of: path) }
            }
        }
        for change in changes where !change.isFromCache {
            guard let version = self.targetData[change.target]?.snapshotVersion else { continue }
            self.targetData[change.target]?.lastLimboFreeVersion = version
        }
    }
}
