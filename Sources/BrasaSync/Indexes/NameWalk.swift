internal import BrasaDocuments
internal import BrasaQueries

/// Finds the first documents of a collection, in the order of their names, that match a query, and looks at nothing behind
/// them. A storage with indexes has its documents in that order.
struct NameWalk {
    let query: SyncQuery
    let indexes: any IndexTables
    let documents: LocalDocuments

    private static let pageMin = 20
    private static let pageMax = 500

    /// Nil when the query is in another order, or asks for all of the collection anyhow.
    func run() throws(StorageError) -> QueryRunner.Run? {
        guard let checked = self.query.checked, checked.order.isByNameAlone, !checked.names.allDescendants,
            let id = checked.names.collectionID, let collection = try? checked.names.parent.appending(id.bytes)
        else { return nil }
        let names = checked.names
        guard self.query.limit != nil || names.lower != nil || names.upper != nil else { return nil }
        let overlays = try self.documents.tables.overlays(in: collection, of: self.documents.user)
        var run = QueryRunner.Run(documents: [:], scanned: overlays.count)
        for path in overlays.keys { self.look(at: try self.documents.document(at: path), &run) }
        let isReversed = checked.order.isNameDescending != (self.query.limitType == .last)
        let intervals = Self.intervals(of: checked)
        var wanted = self.query.limit ?? .max
        for interval in isReversed ? intervals.reversed() : intervals {
            var rest = interval
            while wanted > 0, !rest.isEmpty {
                let page = try self.indexes.documents(
                    in: collection,
                    named: rest,
                    isReversed: isReversed,
                    limit: min(max(wanted, Self.pageMin), Self.pageMax)
                )
                guard let last = page.last else { break }
                var key = OrderPreservingKey()
                key.appendID(of: last.path)
                if isReversed { rest.end = .before(key.bytes) } else { rest.start = .after(key.bytes) }
                for document in page where overlays[document.path] == nil && wanted > 0 {
                    if self.look(at: document, &run) { wanted -= 1 }
                }
                run.scanned = (run.scanned ?? 0) + page.count
            }
        }
        return run
    }

    /// Whether the document is a result.
    @discardableResult
    private func look(at document: SyncDocument, _ run: inout QueryRunner.Run) -> Bool {
        guard self.query.matches(document) else { return false }
        run.documents[document.path] = document
        return true
    }

    /// Where, among the ids of documents, the query's can be.
    private static func intervals(of query: Query) -> [KeyInterval] {
        guard let conjunction = query.disjunctions.first, query.disjunctions.count == 1 else { return [.all] }
        let shape = ConjunctionShape(conjunction, of: query)
        return shape.suffixes(start: nil, end: nil, resume: nil).intervals
    }
}
