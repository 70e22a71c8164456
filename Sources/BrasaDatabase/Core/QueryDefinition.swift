internal import BrasaTree

/// A query as it is put together. What does not fit together is told when it is used.
struct QueryDefinition: Hashable, Sendable {
    struct Bound: Hashable, Sendable {
        let value: IndexValue
        let key: String?
        let isInclusive: Bool
    }

    private(set) var order: TreeQuery.Order?
    private(set) var start: Bound?
    private(set) var end: Bound?
    private(set) var limit: TreeQuery.Limit?
    /// The first thing that is wrong.
    private(set) var fault: DatabaseFault?

    var isEverything: Bool { self == QueryDefinition() }

    func failing(_ message: String) -> QueryDefinition {
        var copy = self
        if copy.fault == nil { copy.fault = DatabaseFault(message) }
        return copy
    }

    func ordered(_ order: TreeQuery.Order) -> QueryDefinition {
        guard self.order == nil else { return self.failing("A query has one order only.") }
        var copy = self
        copy.order = order
        return copy
    }

    func starting(_ bound: Bound) -> QueryDefinition {
        guard self.start == nil else { return self.failing("A query has one start only.") }
        var copy = self
        copy.start = bound
        return copy
    }

    func ending(_ bound: Bound) -> QueryDefinition {
        guard self.end == nil else { return self.failing("A query has one end only.") }
        var copy = self
        copy.end = bound
        return copy
    }

    func limited(_ count: UInt, _ end: TreeQuery.Limit.End) -> QueryDefinition {
        guard self.limit == nil else { return self.failing("A query has one limit only.") }
        guard count > 0, count <= UInt(TreeQuery.Limit.countMax) else {
            return self.failing("A limit is at least 1 and at most \(TreeQuery.Limit.countMax).")
        }
        var copy = self
        copy.limit = TreeQuery.Limit(Int(count), end)
        return copy
    }

    func query() throws(DatabaseFault) -> TreeQuery {
        if let fault { throw fault }
        let order = self.order ?? .priority
        let start = try self.start.map { bound throws(DatabaseFault) in try bound.wire(order) }
        let end = try self.end.map { bound throws(DatabaseFault) in try bound.wire(order) }
        return try TreeError.faulting { () throws(TreeError) in
            try TreeQuery(order: order, start: start, end: end, limit: self.limit)
        }
    }
}

extension QueryDefinition.Bound {
    fileprivate func wire(_ order: TreeQuery.Order) throws(DatabaseFault) -> QueryBound {
        guard order == .key else {
            return QueryBound(
                value: self.value,
                key: self.key.map { .text(TreeText($0)) },
                isInclusive: self.isInclusive
            )
        }
        guard self.key == nil else { throw DatabaseFault("A query by key has no childKey.") }
        switch self.value {
        case .scalar(.string(let text)): return QueryBound(key: .text(text), isInclusive: self.isInclusive)
        case .absent: return QueryBound(key: .minimum, isInclusive: self.isInclusive)
        default: throw DatabaseFault("The bounds of a query by key are strings.")
        }
    }
}
