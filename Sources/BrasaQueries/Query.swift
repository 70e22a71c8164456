package import BrasaDocuments

/// A checked query. Two queries are equal when they say the same, so that they can share their results.
package struct Query: Hashable, Sendable {
    /// One reference for all: a query is handed on and held by whoever works on it.
    private let parts: Parts

    private struct Content: Hashable {
        let database: DatabaseName
        let names: NameRange
        var filter: Filter?
        var disjunctions: [Conjunction]
        let order: ResultOrder
        let start: KeyBound?
        let end: KeyBound?
        let offset: Int
        let limit: Int?
        let projection: FieldMask?
        let nearest: NearestQuery?
    }

    private final class Parts: Sendable {
        let content: Content

        init(_ content: Content) {
            self.content = content
        }
    }

    package var database: DatabaseName { self.parts.content.database }
    /// The scope, narrowed by what the filter and the cursors say about names.
    package var names: NameRange { self.parts.content.names }
    /// Nil: all documents.
    package var filter: Filter? { self.parts.content.filter }
    /// The filter in disjunctive normal form: one empty conjunction when there is no filter, none when the filter can
    /// never hold.
    package var disjunctions: [Conjunction] { self.parts.content.disjunctions }
    package var order: ResultOrder { self.parts.content.order }
    /// Cursors as positions among the keys of `order`.
    package var start: KeyBound? { self.parts.content.start }
    package var end: KeyBound? { self.parts.content.end }
    package var offset: Int { self.parts.content.offset }
    /// Nil: no limit.
    package var limit: Int? { self.parts.content.limit }
    /// Nil: all fields.
    package var projection: FieldMask? { self.parts.content.projection }
    package var nearest: NearestQuery? { self.parts.content.nearest }

    package static func == (left: Query, right: Query) -> Bool {
        left.parts === right.parts || left.parts.content == right.parts.content
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(self.parts.content)
    }

    /// The same with another filter, on which nothing else of the query depends.
    func filtered(by filter: Filter, _ disjunctions: [Conjunction]) -> Query {
        var content = self.parts.content
        (content.filter, content.disjunctions) = (filter, disjunctions)
        return Query(Parts(content))
    }

    private init(_ parts: Parts) {
        self.parts = parts
    }

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

        let nearest = try structured.findNearest.map { nearest throws(QueryError) in
            try NearestQuery(nearest, in: structured)
        }
        let isGroupBelowDocument = !parent.path.isRoot && structured.from.first?.allDescendants == true
        let namesAreBounded = checker.filtersNames || isGroupBelowDocument
        let indexOrder = try order.summing(summed, namesAreBounded: namesAreBounded)
        let isBounded = structured.limit != nil || structured.offset > 0
        let content = Content(
            database: parent.database,
            names: names,
            filter: filter,
            disjunctions: disjunctions,
            order: isBounded ? indexOrder : order,
            start: start?.bound,
            end: end?.bound,
            offset: Int(structured.offset),
            limit: structured.limit.map { Int($0) },
            projection: structured.select.map { FieldMask($0) },
            nearest: nearest
        )
        self.parts = Parts(content)
    }
}
