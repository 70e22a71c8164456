internal import BrasaDocuments
internal import BrasaQueries
internal import BrasaSync

/// What a `Query` asks for: the clauses that were added to it, in the terms of the protocol.
struct QueryDefinition: Hashable, Sendable {
    /// Which end of the results a limit keeps.
    enum LimitKind: Hashable, Sendable { case first, last }

    struct Bound: Hashable, Sendable {
        var values: [Value]
        var isInclusive: Bool
    }

    /// The document, or the root, that the collection lies directly below; of a group, anywhere below.
    let parent: ResourcePath
    let collectionID: UTF8Text
    let isGroup: Bool
    private(set) var filters: [StructuredQuery.Filter] = []
    private(set) var orders: [StructuredQuery.Order] = []
    /// The only fields of the results; nil: all.
    private(set) var projection: [BrasaDocuments.FieldPath]?
    private(set) var offset: Int32 = 0
    private(set) var limit: Int32?
    private(set) var limitKind = LimitKind.first
    private(set) var start: Bound?
    private(set) var end: Bound?
    /// The first thing that is wrong with it, which all who read it are told.
    private(set) var fault: UsageError?

    init(collection place: Place) {
        self.isGroup = false
        self.collectionID = UTF8Text(place.lastSegment)
        switch place {
        case .path(let collection): self.parent = collection.parent ?? .root
        case .none(_, let error):
            self.parent = .root
            self.fault = error
        }
    }

    init(collectionGroup id: String) {
        self.parent = .root
        self.collectionID = UTF8Text(id)
        self.isGroup = true
        self.change { _ throws(UsageError) in try PathText.checkCollectionID(id) }
    }

    /// One more clause, unless something is wrong with it or with those before.
    mutating func change(_ change: (inout QueryDefinition) throws(UsageError) -> Void) {
        guard self.fault == nil else { return }
        do throws(UsageError) {
            try change(&self)
        } catch {
            self.fault = error
        }
    }

    /// What a user would have asked for to get an engine's query; nil for one of a document. The order is cut down to the
    /// clauses that the protocol would not add by itself.
    init?(_ query: SyncQuery) {
        guard let (asked, parent) = query.asked, let from = asked.from.first else { return nil }
        self.parent = parent
        self.collectionID = from.collectionID
        self.isGroup = from.allDescendants
        switch asked.filter {
        case .composite(.and, let filters)?: self.filters = filters
        case let filter: self.filters = filter.map { [$0] } ?? []
        }
        self.limit = asked.limit
        self.limitKind = query.limitType == .last ? .last : .first
        self.start = asked.startAt.map { Bound(values: $0.values, isInclusive: $0.before) }
        self.end = asked.endAt.map { Bound(values: $0.values, isInclusive: !$0.before) }
        self.orders = asked.orderBy
        let countMin = max(self.start?.values.count ?? 0, self.end?.values.count ?? 0, self.limitKind == .last ? 1 : 0)
        let complete = try? self.completeOrder().clauses
        while self.orders.count > countMin, let last = self.orders.popLast() {
            if let order = try? self.completeOrder().clauses, order == complete { continue }
            self.orders.append(last)
            break
        }
    }

    mutating func add(_ filter: StructuredQuery.Filter) throws(UsageError) {
        try FilterConflict.check(filter, after: self.filters)
        self.filters.append(filter)
    }

    mutating func add(_ order: StructuredQuery.Order) throws(UsageError) {
        guard self.start == nil, self.end == nil else {
            throw UsageError("order() must come before start() and end().")
        }
        self.orders.append(order)
    }

    mutating func limit(to count: Int, _ kind: LimitKind) throws(UsageError) {
        guard count > 0 else { throw UsageError("A limit must be positive, but was \(count).") }
        self.limit = Int32(exactly: count)
        self.limitKind = kind
    }

    mutating func offset(by count: Int) throws(UsageError) {
        guard count >= 0, let count = Int32(exactly: count) else {
            throw UsageError("An offset must not be negative or above \(Int32.max), but was \(count).")
        }
        self.offset = count
    }

    mutating func select(_ fields: [BrasaDocuments.FieldPath]) {
        // To servers no fields are all of them.
        self.projection = fields.isEmpty ? [.documentName] : fields
    }

    /// With the fields that order the results beside those that were selected.
    mutating func selectOrder() throws(UsageError) {
        guard let projection = self.projection else { return }
        let order = try self.completeOrder().clauses.map(\.path)
        self.projection = projection + order.filter { field in !projection.contains { $0.contains(field) } }
    }

    /// Whether no cache can answer it.
    var isForServerOnly: Bool { self.projection != nil || self.offset > 0 }

    mutating func start(at bound: Bound) { self.start = bound }
    mutating func end(at bound: Bound) { self.end = bound }
}

extension QueryDefinition {
    /// The order with all that the protocol adds to the clauses asked for; documents never tie in it.
    func completeOrder() throws(UsageError) -> ResultOrder {
        var inequalities: Set<BrasaDocuments.FieldPath> = []
        for filter in self.filters { filter.addInequalities(to: &inequalities) }
        do {
            return try ResultOrder(self.orders, inequalities: inequalities)
        } catch {
            throw UsageError(error.message)
        }
    }

    /// The query as it is sent, with its complete order, so that a cursor at a document names one position. A limit
    /// keeps the first results, whatever `limitKind` says.
    func structured() throws(UsageError) -> StructuredQuery {
        if let fault = self.fault { throw fault }
        let filter = self.filters.count > 1 ? .composite(.and, self.filters) : self.filters.first
        return StructuredQuery(
            select: self.projection,
            from: [StructuredQuery.CollectionSelector(collectionID: self.collectionID, allDescendants: self.isGroup)],
            filter: filter,
            orderBy: try self.completeOrder().clauses.map {
                StructuredQuery.Order(field: $0.path, direction: $0.isDescending ? .descending : .ascending)
            },
            startAt: self.start.map { StructuredQuery.Cursor(values: $0.values, before: $0.isInclusive) },
            endAt: self.end.map { StructuredQuery.Cursor(values: $0.values, before: !$0.isInclusive) },
            offset: self.offset,
            limit: self.limit
        )
    }

    /// The same with a limit to the last results turned round, which servers do not know: they come last first.
    func structuredFromFirst() throws(UsageError) -> StructuredQuery {
        try self.checkHasLast()
        let query = try self.structured()
        return self.limitKind == .last ? query.mirrored : query
    }

    /// Which results are the last ones, only an order tells.
    func checkHasLast() throws(UsageError) {
        guard self.limitKind == .first || !self.orders.isEmpty else {
            throw UsageError("limit(toLast:) needs an order.")
        }
    }

    /// The query as an aggregation asks it: what is summed follows behind the order and cannot follow the name.
    func structuredForAggregation() throws(UsageError) -> StructuredQuery {
        try self.checkHasLast()
        var query = try self.structuredAsAsked()
        query.select = nil
        return query
    }

    /// With no more of its order than was asked for, or than cursors name.
    func structuredAsAsked() throws(UsageError) -> StructuredQuery {
        var query = try self.structured()
        let count = [self.orders.count, self.start?.values.count ?? 0, self.end?.values.count ?? 0].max() ?? 0
        query.orderBy = Array(query.orderBy.prefix(count))
        return query
    }
}

extension StructuredQuery.Filter {
    fileprivate func addInequalities(to fields: inout Set<BrasaDocuments.FieldPath>) {
        switch self {
        case .unset: break
        case .composite(_, let parts): for part in parts { part.addInequalities(to: &fields) }
        case .field(let path?, let op, _) where op.isInequality: fields.insert(path)
        case .unary(let path?, .isNotNull), .unary(let path?, .isNotNaN): fields.insert(path)
        case .field, .unary: break
        }
    }
}

extension StructuredQuery.Filter.FieldOperator {
    fileprivate var isInequality: Bool {
        switch self {
        case .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual, .notEqual, .notIn: true
        case .unspecified, .equal, .arrayContains, .in, .arrayContainsAny: false
        }
    }
}
