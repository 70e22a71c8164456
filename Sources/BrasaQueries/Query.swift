package import BrasaDocuments

/// A checked query. Two queries are equal when they say the same, so that they can share their results.
package struct Query: Hashable, Sendable {
    package let database: DatabaseName
    /// The scope, narrowed by what the filter and the cursors say about names.
    package let names: NameRange
    /// Nil: all documents.
    package let filter: Filter?
    /// The filter in disjunctive normal form: one empty conjunction when there is no filter, none when the filter can
    /// never hold.
    package let disjunctions: [Conjunction]
    package let order: ResultOrder
    /// Cursors as positions among the keys of `order`.
    package let start: KeyBound?
    package let end: KeyBound?
    package let offset: Int
    /// Nil: no limit.
    package let limit: Int?
    /// Nil: all fields.
    package let projection: FieldMask?
    package let nearest: NearestQuery?

    package init(_ structured: StructuredQuery, parent: ParentName) throws(QueryError) {
        try self.init(structured, parent: parent, summing: [])
    }

    /// - Parameter summed: fields that an aggregation sums. They belong to the order, which is left as it is where it
    ///   does not say which documents there are.
    init(_ structured: StructuredQuery, parent: ParentName, summing summed: [FieldPath]) throws(QueryError) {
        guard structured.from.count <= 1 else { throw QueryError(.severalSelectors) }
        if let limit = structured.limit, limit < 0 { throw QueryError(.negativeLimit) }
        guard structured.offset >= 0 else { throw QueryError(.negativeOffset) }

        var names = try NameRange(parent: parent.path, selector: structured.from.first)
        let isKindless = names.collectionID == nil
        var checker = FilterChecker(database: parent.database, isKindless: isKindless)
        let otherClauses = structured.orderBy.count + (parent.path.isRoot ? 0 : 1)
        let asked = structured.filter ?? .composite(.and, [])
        let filter = try checker.check(asked, otherClauses: otherClauses)
        let order = try ResultOrder(structured.orderBy, inequalities: checker.inequalities)
        if isKindless, !order.isByNameAlone || order.isNameDescending { throw QueryError(.kindRequiredForOrder) }

        let disjunctions = filter.map(\.disjunctions) ?? [.always]
        names.narrow(by: disjunctions)
        let start = try CursorPosition(structured.startAt, order: order, database: parent.database)
        let end = try CursorPosition(structured.endAt, order: order, database: parent.database)
        names.narrow(from: start, to: end, order: order)

        self.nearest = try structured.findNearest.map { nearest throws(QueryError) in
            try NearestQuery(nearest, in: structured)
        }
        self.database = parent.database
        self.names = names
        self.filter = filter
        self.disjunctions = disjunctions
        let isGroupBelowDocument = !parent.path.isRoot && structured.from.first?.allDescendants == true
        let namesAreBounded = checker.filtersNames || isGroupBelowDocument
        let indexOrder = try order.summing(summed, namesAreBounded: namesAreBounded)
        let isBounded = structured.limit != nil || structured.offset > 0
        self.order = isBounded ? indexOrder : order
        self.start = start?.bound
        self.end = end?.bound
        self.offset = Int(structured.offset)
        self.limit = structured.limit.map { Int($0) }
        self.projection = structured.select.map { FieldMask($0) }
    }
}
