package import BrasaDocuments
package import BrasaQueries

/// A query as the user made it: a target, and which end of its results a limit keeps. Equal queries share a view.
package struct SyncQuery: Hashable, Sendable {
    package enum LimitType: Hashable, Sendable {
        case first, last
    }

    /// What the server is asked for.
    package let target: SyncTarget
    package let limitType: LimitType
    /// Nil: all.
    package let limit: Int?
    /// The user's order, with what the protocol adds to it.
    package let order: ResultOrder
    /// Nil for one document.
    let checked: Query?

    /// One document.
    package init(document path: ResourcePath) {
        self.target = .document(path)
        self.limitType = .first
        self.limit = nil
        self.order = .byName
        self.checked = nil
    }

    /// `query` is what the user asked for, its order as the user gave it. Offset, projection and nearest neighbours are
    /// nothing that can be listened to.
    package init(
        _ query: StructuredQuery,
        parent: ResourcePath,
        limitType: LimitType = .first,
        database: DatabaseName
    ) throws(QueryError) {
        guard let name = ParentName(database: database, path: parent) else {
            throw QueryError(.document(DocumentError(.collectionIDEmpty)))
        }
        let checked = try Query(query, parent: name)
        var asked = query
        asked.orderBy = checked.order.clauses.map { clause in
            StructuredQuery.Order(field: clause.path, direction: clause.isDescending ? .descending : .ascending)
        }
        if limitType == .last, query.limit != nil { asked = asked.mirrored }
        self.target = .query(asked, parent: parent)
        self.limitType = query.limit == nil ? .first : limitType
        self.limit = checked.limit
        self.order = checked.order
        self.checked = checked
    }

    /// The query that had this target and this limit type, nil if it asks for nothing that has a result. Its order is spelled
    /// out, as in the target.
    package init?(
        restoring target: SyncTarget,
        limitType: LimitType,
        database: DatabaseName
    ) throws(QueryError) {
        switch target {
        case .bundle: return nil
        case .document(let path): self.init(document: path)
        case .query(let query, let parent):
            let asked = limitType == .last && query.limit != nil ? query.mirrored : query
            try self.init(asked, parent: parent, limitType: limitType, database: database)
        }
    }

    /// Whether the document is among the results, the limit aside.
    package func matches(_ document: SyncDocument) -> Bool {
        guard case .found(let fields) = document.kind else { return false }
        switch self.target {
        case .document(let path): return document.path == path
        case .query, .bundle: return self.checked?.matches(path: document.path, fields: fields) ?? false
        }
    }

    /// Whether it asks for whole collections.
    var matchesAllDocuments: Bool {
        guard let checked = self.checked else { return false }
        return checked.filter == nil && self.limit == nil && checked.start == nil && checked.end == nil
            && checked.order.isByNameAlone
    }

    /// Where to look: nil for one document.
    var names: NameRange? { self.checked?.names }

    package static func == (left: SyncQuery, right: SyncQuery) -> Bool {
        left.target == right.target && left.limitType == right.limitType
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(self.target)
        hasher.combine(self.limitType)
    }
}

extension SyncQuery {
    /// What the user asked for, with its complete order, and where; nil for one document.
    package var asked: (query: StructuredQuery, parent: ResourcePath)? {
        guard case .query(let query, let parent) = self.target else { return nil }
        return (self.limitType == .last ? query.mirrored : query, parent)
    }
}

extension StructuredQuery {
    /// The same results from the other end; every clause of the order must be spelled out. Of a limit to the last results,
    /// which servers do not know, the mirror image is a limit to the first.
    package var mirrored: StructuredQuery {
        var mirrored = self
        for index in self.orderBy.indices {
            mirrored.orderBy[index].direction = self.orderBy[index].direction == .descending ? .ascending : .descending
        }
        mirrored.startAt = self.endAt.map { Cursor(values: $0.values, before: !$0.before) }
        mirrored.endAt = self.startAt.map { Cursor(values: $0.values, before: !$0.before) }
        return mirrored
    }
}
