package import BrasaDocuments

/// A query that needs nothing but documents' names: a collection, a collection group or everything below a parent, in
/// name order, with bounds, offset, limit and projection. All of it is checked.
package struct NameQuery: Hashable, Sendable {
    package let range: NameRange
    package let isDescending: Bool
    package let offset: Int
    /// Nil: no limit.
    package let limit: Int?
    /// Nil: all fields.
    package let projection: FieldMask?

    /// The parts of a StructuredQuery. `select` is nil when the query has no projection; an empty one selects no
    /// fields.
    package init(
        parent: ParentName,
        from: [CollectionSelector],
        filters: [QueryFilter] = [],
        orders: [QueryOrder] = [],
        startAt: QueryCursor? = nil,
        endAt: QueryCursor? = nil,
        offset: Int32 = 0,
        limit: Int32? = nil,
        select: [FieldPath]? = nil
    ) throws(QueryError) {
        guard from.count <= 1 else { throw QueryError(.severalSelectors) }
        guard offset >= 0 else { throw QueryError(.negativeOffset) }
        if let limit, limit < 0 { throw QueryError(.negativeLimit) }

        var range = try Self.scope(parent: parent.path, selector: from.first)
        self.isDescending = try Self.isDescending(orders, isKindless: range.collectionID == nil)
        for filter in filters { try Self.narrow(&range, by: filter, in: parent.database) }

        let isDescending = self.isDescending
        let first = try Self.position(startAt, orders: orders, in: parent.database)
        let last = try Self.position(endAt, orders: orders, in: parent.database)
        // Before a position is inside for a start and outside for an end.
        let start = first.map { NameBound(path: $0.path, isInclusive: $0.isBefore) }
        let end = last.map { NameBound(path: $0.path, isInclusive: !$0.isBefore) }
        range.lower = NameBound.higher(range.lower, isDescending ? end : start)
        range.upper = NameBound.lower(range.upper, isDescending ? start : end)

        self.range = range
        self.offset = Int(offset)
        self.limit = limit.map { Int($0) }
        self.projection = select.map { FieldMask($0) }
    }

    private static func scope(
        parent: ResourcePath,
        selector: CollectionSelector?
    ) throws(QueryError) -> NameRange {
        guard let selector else { return NameRange(parent: parent, collectionID: nil, allDescendants: false) }
        guard !selector.collectionID.bytes.isEmpty else {
            return NameRange(parent: parent, collectionID: nil, allDescendants: selector.allDescendants)
        }
        do throws(DocumentError) {
            try ResourcePath.checkCollectionID(selector.collectionID)
        } catch {
            throw QueryError(.document(error))
        }
        return NameRange(
            parent: parent,
            collectionID: selector.collectionID,
            allDescendants: selector.allDescendants
        )
    }

    /// The direction of `__name__`, the only order there may be.
    private static func isDescending(_ orders: [QueryOrder], isKindless: Bool) throws(QueryError) -> Bool {
        guard let first = orders.first else { return false }
        var seen: Set<FieldPath> = []
        for (index, order) in orders.enumerated() {
            guard seen.insert(order.path).inserted else { throw QueryError(.duplicateOrder(order.path)) }
            if index > 0, orders[index - 1].path.isDocumentName { throw QueryError(.fieldsAfterKey) }
        }
        if isKindless, first.isDescending || !first.path.isDocumentName { throw QueryError(.kindRequiredForOrder) }
        guard first.path.isDocumentName else { throw QueryError(.unimplemented("Orders by field values")) }
        return first.isDescending
    }

    private static func narrow(
        _ range: inout NameRange,
        by filter: QueryFilter,
        in database: DatabaseName
    ) throws(QueryError) {
        guard filter.path.isDocumentName else {
            if range.collectionID == nil { throw QueryError(.kindRequiredForFilter(filter.path)) }
            throw QueryError(.unimplemented("Filters on field values"))
        }
        switch filter.comparison {
        case .arrayContains: throw QueryError(.keyIsReserved)
        case .other: throw QueryError(.unimplemented("Filters other than comparisons of names"))
        default: break
        }
        guard case .reference(let name) = filter.value else { throw QueryError(.filterNotReference) }
        try self.check(name, isIn: database)
        let inclusive = NameBound(path: name.path, isInclusive: true)
        let exclusive = NameBound(path: name.path, isInclusive: false)
        switch filter.comparison {
        case .lessThan: range.upper = NameBound.lower(range.upper, exclusive)
        case .lessThanOrEqual: range.upper = NameBound.lower(range.upper, inclusive)
        case .greaterThan: range.lower = NameBound.higher(range.lower, exclusive)
        case .greaterThanOrEqual: range.lower = NameBound.higher(range.lower, inclusive)
        default:
            range.lower = NameBound.higher(range.lower, inclusive)
            range.upper = NameBound.lower(range.upper, inclusive)
        }
    }

    /// Where a cursor stands; nil for one without values, which bounds nothing. One value is accepted without an
    /// explicit order too, for the implied order by name.
    private static func position(
        _ cursor: QueryCursor?,
        orders: [QueryOrder],
        in database: DatabaseName
    ) throws(QueryError) -> (path: ResourcePath, isBefore: Bool)? {
        guard let cursor, let value = cursor.values.first else { return nil }
        guard cursor.values.count <= max(1, orders.count) else { throw QueryError(.cursorTooLong) }
        guard case .reference(let name) = value else { throw QueryError(.cursorNotReference) }
        try self.check(name, isIn: database)
        return (name.path, cursor.isBefore)
    }

    private static func check(_ name: DocumentName, isIn database: DatabaseName) throws(QueryError) {
        guard name.database == database else {
            throw QueryError(
                .document(
                    DocumentError(.otherDatabase(requested: database.string, accessed: name.database.string))
                )
            )
        }
    }
}
