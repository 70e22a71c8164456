package import BrasaDocuments
package import BrasaQueries

/// What rules see of a query: `request.query`, and what its filter says of the documents that it finds.
package struct RuleQuery: Sendable {
    private enum Order: Sendable {
        case fields([(field: UTF8Text, ascends: Bool)])
        case asked([StructuredQuery.Order])
    }

    private let limit: Int64?
    private let offset: Int64
    private let order: Order
    /// All of them must be allowed.
    let ways: [QueryWay]

    /// A listing without a filter. `order` has field paths, and whether they ascend.
    package init(limit: Int64?, offset: Int64 = 0, order: [(field: UTF8Text, ascends: Bool)] = []) {
        (self.limit, self.offset, self.order, self.ways) = (limit, offset, .fields(order), [.any])
    }

    /// A query as it was asked, and as it was checked.
    package init(_ asked: StructuredQuery, _ query: Query) {
        self.limit = asked.limit.map { Int64($0) }
        self.offset = Int64(asked.offset)
        self.order = .asked(asked.orderBy)
        // A filter that can never hold says nothing of what is found.
        self.ways = query.disjunctions.isEmpty ? [.any] : query.disjunctions.map(QueryWay.init)
    }

    /// Made when a rule asks for it, and paid for each time.
    func value(_ work: inout Work) throws(EvaluationError) -> RuleValue {
        let order: [(field: UTF8Text, ascends: Bool)] =
            switch self.order {
            case .fields(let order): order
            case .asked(let order): order.map { (UTF8Text($0.field.canonical), $0.direction != .descending) }
            }
        // They are sorted, comparing what may be alike up to its end.
        for (field, _) in order { try work.spend(4 * Work.element + field.bytes.count) }
        try work.spend(elements: 4)
        let directions = order.map { (key: $0.field, value: RuleValue.string($0.ascends ? "ASC" : "DESC")) }
        return .map(
            RuleMap([
                (key: "limit", value: self.limit.map { .int($0) } ?? .null),
                (key: "offset", value: .int(self.offset)),
                (key: "orderBy", value: .map(RuleMap(directions))),
            ])
        )
    }
}
