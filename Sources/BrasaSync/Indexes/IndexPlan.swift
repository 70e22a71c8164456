internal import BrasaDocuments
internal import BrasaQueries

/// A query answered by indexes: each of its conjunctions by one.
struct IndexPlan {
    enum Source {
        case index(IndexAccess)
        /// The conjunction gives the document's name.
        case document(ResourcePath)
    }

    let sources: [Source]
    /// What has changed since is to be looked at as well. Nil: no index is read.
    let lastChange: ChangeNumber?

    /// Nil when there are no indexes to answer the query by.
    init?(_ query: SyncQuery, in indexes: any IndexTables, for user: SyncUser) throws(StorageError) {
        guard let checked = query.checked, !query.matchesAllDocuments, let id = checked.names.collectionID else {
            return nil
        }
        let shapes = checked.disjunctions.map { ConjunctionShape($0, of: checked) }
        var ready: [FieldIndex] = []
        var lastChanges: [IndexID: ChangeNumber] = [:]
        if shapes.contains(where: { $0.pinned == nil }) {
            for index in try indexes.fieldIndexes(ofCollectionID: id) {
                guard let progress = try indexes.progress(of: index.id, for: user), progress.stage == .ready else {
                    continue
                }
                ready.append(index)
                lastChanges[index.id] = progress.lastChange
            }
        }
        var sources: [Source] = []
        for shape in shapes {
            if let path = shape.pinned {
                sources.append(.document(path))
            } else if let access = Self.best(ready, for: shape, of: checked, hasLimit: query.limit != nil) {
                sources.append(.index(access))
            } else {
                return nil
            }
        }
        self.sources = sources
        self.lastChange = sources.compactMap { source in
            if case .index(let access) = source { lastChanges[access.index.id] } else { nil }
        }.min()
    }

    private static func best(
        _ indexes: [FieldIndex],
        for shape: ConjunctionShape,
        of query: Query,
        hasLimit: Bool
    ) -> IndexAccess? {
        var best: IndexAccess?
        for index in indexes {
            guard let access = IndexAccess(index, for: shape, of: query) else { continue }
            // Reading all of an index only to read all of the documents is worse than the latter alone.
            guard access.restrictionCount > 0 || access.isOrdered && hasLimit else { continue }
            if best.map({ access.isBetter(than: $0) }) ?? true { best = access }
        }
        return best
    }
}
