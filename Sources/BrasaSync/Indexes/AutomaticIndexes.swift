internal import BrasaDocuments
internal import BrasaQueries

/// Makes the indexes that would have spared a query the look at a whole collection.
struct AutomaticIndexes {
    let indexes: any IndexTables

    /// Below this, looking at everything is fast enough.
    private static let readMin = 100
    /// How many documents can be looked at in a row while one is found through an index.
    private static let ratio = 4
    /// Queries of fields that are different each time (`members.<id>`) would otherwise fill the cache with indexes for one
    /// query each.
    private static let countMax = 64

    /// Gives the indexes made for a query that has looked at `read` documents to find `found`.
    func make(for query: SyncQuery, read: Int, found: Int) throws(StorageError) -> [FieldIndex] {
        guard read >= Self.readMin, read > Self.ratio * min(found, query.limit ?? .max), let checked = query.checked,
            let id = checked.names.collectionID
        else { return [] }
        let present = try self.indexes.fieldIndexes(ofCollectionID: id)
        guard let missing = Self.missing(for: checked, present), !missing.isEmpty,
            present.count + missing.count <= Self.countMax
        else { return [] }
        for definition in missing { try self.indexes.addFieldIndex(definition) }
        return try self.indexes.fieldIndexes(ofCollectionID: id).filter { missing.contains($0.definition) }
    }

    /// Nil when one of the conjunctions cannot have an index, so that one for another would be of no use.
    static func missing(for query: Query, _ present: [FieldIndex]) -> [IndexDefinition]? {
        var missing: [IndexDefinition] = []
        for conjunction in query.disjunctions {
            let shape = ConjunctionShape(conjunction, of: query)
            if shape.pinned != nil { continue }
            if present.contains(where: { IndexAccess($0, for: shape, of: query)?.isFull == true }) { continue }
            guard conjunction.inequalityFieldCount <= 1, let definition = shape.idealDefinition else { return nil }
            if !missing.contains(definition) { missing.append(definition) }
        }
        return missing
    }
}

extension Conjunction {
    fileprivate var inequalityFieldCount: Int {
        let fields = self.terms.filter { term in
            switch term.condition {
            case .equal, .arrayContains: false
            case .range, .notEqual, .notIn, .isNotNull, .isNotNaN: !term.path.isDocumentName
            }
        }
        return Set(fields.map(\.path)).count
    }
}
