internal import BrasaDocuments
internal import BrasaQueries

/// Finds documents that match a query through indexes: as many as the query's limit asks for of each index, when that gives
/// them in the query's order, and those that have changed since the indexes were brought up to date.
struct IndexedRead {
    let query: SyncQuery
    let indexes: any IndexTables
    let documents: LocalDocuments

    private static let pageMax = 500

    /// Nil when the query cannot be answered by indexes.
    func run() throws(StorageError) -> DocumentMap? {
        let user = self.documents.user
        guard let plan = try IndexPlan(self.query, in: self.indexes, for: user) else { return nil }
        let changed = try plan.lastChange.map { last throws(StorageError) in try self.changes(since: last) } ?? []
        var found: DocumentMap = [:]
        for source in plan.sources {
            switch source {
            case .document(let path): _ = try self.look(at: path, &found)
            case .index(let access): try self.read(access, without: changed, &found)
            }
        }
        for path in changed { _ = try self.look(at: path, &found) }
        return found
    }

    /// Whether the document is a result.
    private func look(at path: ResourcePath, _ found: inout DocumentMap) throws(StorageError) -> Bool {
        let document = try self.documents.document(at: path)
        guard self.query.matches(document) else { return false }
        found[path] = document
        return true
    }

    private func changes(since number: ChangeNumber) throws(StorageError) -> Set<ResourcePath> {
        guard let names = self.query.names, let id = names.collectionID else { return [] }
        var paths: Set<ResourcePath> = []
        var number = number
        while true {
            let page = try self.indexes.changes(ofCollectionID: id, after: number, limit: Self.pageMax)
            for change in page where names.contains(change.path) { paths.insert(change.path) }
            guard page.count == Self.pageMax, let last = page.last else { return paths }
            number = last.number
        }
    }

    private func read(
        _ access: IndexAccess,
        without changed: Set<ResourcePath>,
        _ found: inout DocumentMap
    ) throws(StorageError) {
        let isReversed = access.isReversed != (self.query.limitType == .last)
        var wanted = access.isOrdered ? self.query.limit ?? .max : .max
        for interval in isReversed ? access.intervals.reversed() : access.intervals {
            var rest = interval
            while wanted > 0, !rest.isEmpty {
                let page = try self.indexes.entries(
                    of: access.index.id,
                    for: self.documents.user,
                    in: rest,
                    isReversed: isReversed,
                    limit: min(wanted, Self.pageMax)
                )
                guard let last = page.last else { break }
                if isReversed { rest.end = .before(last.key) } else { rest.start = .after(last.key) }
                for entry in page where !changed.contains(entry.path) {
                    if try self.look(at: entry.path, &found) { wanted -= 1 }
                }
            }
        }
    }
}
