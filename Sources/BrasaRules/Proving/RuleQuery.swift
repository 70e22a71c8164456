package import BrasaDocuments
package import BrasaQueries

/// What rules see of a query: `request.query`, and what its filter says of the documents that it finds.
package struct RuleQuery: Sendable {
    let value: RuleValue
    /// All of them must be allowed.
    let ways: [QueryWay]

    /// A listing without a filter. `order` has field paths, and whether they ascend.
    package init(limit: Int64?, offset: Int64 = 0, order: [(field: UTF8Text, ascends: Bool)] = []) {
        self.init(limit: limit, offset: offset, order: order, ways: [.any])
    }

    /// A query as it was asked, and as it was checked.
    package init(_ asked: StructuredQuery, _ query: Query) {
        self.init(
            limit: asked.limit.map { Int64($0) },
            offset: Int64(asked.offset),
            order: asked.orderBy.map { (UTF8Text($0.field.canonical), $0.direction != .descending) },
            // A filter that can never hold says nothing of what is found.
            ways: query.disjunctions.isEmpty ? [.any] : query.disjunctions.map(QueryWay.init)
        )
    }

    private init(limit: Int64?, offset: Int64, order: [(field: UTF8Text, ascends: Bool)], ways: [QueryWay]) {
        let order = order.map { (key: $0.field, value: RuleValue.string($0.ascends ? "ASC" : "DESC")) }
        self.value = .map(
            RuleMap([
                (key: "limit", value: limit.map { .int($0) } ?? .null),
                (key: "offset", value: .int(offset)),
                (key: "orderBy", value: .map(RuleMap(order))),
            ])
        )
        self.ways = ways
    }
}
