internal import BrasaDocuments
internal import BrasaQueries

/// Finds the cached documents that match a query; the limit is the view's business.
struct QueryRunner {
    let tables: any StorageTables
    let user: SyncUser

    private var documents: LocalDocuments { LocalDocuments(tables: self.tables, user: self.user) }

    struct Run {
        var documents: DocumentMap
        /// How many documents were looked at when nothing told where to look; nil when something did.
        var scanned: Int?
    }

    /// By indexes, if there are such for the query. If not, and `lastLimboFreeVersion` is not zero, `remoteKeys` were the
    /// result at that version, so that only what changed since is looked at.
    func run(
        _ query: SyncQuery,
        lastLimboFreeVersion: Timestamp,
        remoteKeys: @autoclosure () throws(StorageError) -> Set<ResourcePath>
    ) throws(StorageError) -> Run {
        switch query.target {
        case .document(let path):
            let document = try self.documents.document(at: path)
            return Run(documents: document.isFound ? [path: document] : [:])
        case .bundle: return Run(documents: [:])
        case .query: break
        }
        if let indexes = self.tables.indexes,
            let found = try IndexedRead(query: query, indexes: indexes, documents: self.documents).run()
        {
            return Run(documents: found)
        }
        if lastLimboFreeVersion != .zero, !query.matchesAllDocuments,
            let found = try self.resume(
                query,
                lastLimboFreeVersion: lastLimboFreeVersion,
                remoteKeys: try remoteKeys()
            )
        {
            return Run(documents: found)
        }
        if let indexes = self.tables.indexes,
            let run = try NameWalk(query: query, indexes: indexes, documents: self.documents).run()
        {
            return run
        }
        return try self.scan(query, readAfter: .zero)
    }

    /// Nil when documents that were no results may have taken the place of some that were.
    private func resume(
        _ query: SyncQuery,
        lastLimboFreeVersion version: Timestamp,
        remoteKeys: Set<ResourcePath>
    ) throws(StorageError) -> DocumentMap? {
        let found = try self.documents.documents(at: remoteKeys).filter { query.matches($0.value) }
        if query.limit != nil {
            guard found.count == remoteKeys.count else { return nil }
            var ordered = DocumentSet(order: query.order)
            ordered.apply(found.mapValues { $0 })
            let edge = query.limitType == .first ? ordered.last : ordered.first
            if let edge, edge.hasPendingWrites || edge.version > version { return nil }
        }
        return found.merging(try self.scan(query, readAfter: version).documents) { $1 }
    }

    private func scan(_ query: SyncQuery, readAfter time: Timestamp) throws(StorageError) -> Run {
        var found: DocumentMap = [:]
        var count = 0
        for collection in try self.collections(of: query) {
            let overlays = try self.tables.overlays(in: collection, of: self.user)
            let documents = try self.tables.documents(in: collection, readAfter: time)
            count += documents.count + overlays.count
            for document in documents
            where overlays[document.path] == nil && query.matches(document) {
                found[document.path] = document
            }
            // On the base, whenever that was read: a patch alone would be part of a document.
            for (path, stored) in overlays {
                var document = try self.tables.document(at: path)
                stored.overlay.apply(to: &document)
                if query.matches(document) { found[path] = document }
            }
        }
        return Run(documents: found, scanned: count)
    }

    /// What the user's queued writes make of documents that the server has named as the results.
    func run(_ query: SyncQuery, onResults results: DocumentMap) throws(StorageError) -> DocumentMap {
        let overlays = try self.overlays(on: results, of: query)
        var found: DocumentMap = [:]
        found.reserveCapacity(results.count)
        for (path, result) in results {
            let cached = try self.tables.document(at: path)
            var document = cached.isValid && cached.version > result.version ? cached : result
            overlays[path]?.overlay.apply(to: &document)
            if query.matches(document) { found[path] = document }
        }
        for (path, stored) in overlays where results[path] == nil {
            var document = try self.tables.document(at: path)
            stored.overlay.apply(to: &document)
            if document.hasLocalMutations, query.matches(document) { found[path] = document }
        }
        return found
    }

    /// Of results, and of documents that may be results because of them.
    private func overlays(
        on results: DocumentMap,
        of query: SyncQuery
    ) throws(StorageError) -> [ResourcePath: StoredOverlay] {
        var overlays: [ResourcePath: StoredOverlay] = [:]
        if case .document(let path) = query.target {
            overlays[path] = try self.tables.overlay(at: path, of: self.user)
        } else if query.names?.collectionID == nil {
            for path in results.keys { overlays[path] = try self.tables.overlay(at: path, of: self.user) }
        } else {
            for collection in try self.collections(of: query) {
                overlays.merge(try self.tables.overlays(in: collection, of: self.user)) { $1 }
            }
        }
        return overlays
    }

    private func collections(of query: SyncQuery) throws(StorageError) -> [ResourcePath] {
        guard let names = query.names, let id = names.collectionID else { return [] }
        guard names.allDescendants else { return [try? names.parent.appending(id.bytes)].compactMap(\.self) }
        return try self.tables.collections(withID: id).filter { $0.isDescendant(of: names.parent) }
    }
}
