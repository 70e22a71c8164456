internal import BrasaDocuments

/// How many disjunctions a filter has in disjunctive normal form, counted without making them. A member of `IN` or
/// `ARRAY_CONTAINS_ANY` is one each.
struct DisjunctionCount {
    /// Saturated.
    private(set) var ways: Int
    /// The filters of all ways together, saturated.
    private(set) var filters: Int
    /// The most array filters in one way.
    private(set) var containsMax: Int

    private init(ways: Int, filters: Int, containsMax: Int = 0) {
        self.ways = ways
        self.filters = filters
        self.containsMax = containsMax
    }

    init(of filter: StructuredQuery.Filter) {
        switch filter {
        case .unset: self.init(ways: 1, filters: 0)
        case .unary: self.init(ways: 1, filters: 1)
        case .field(_, .arrayContains, _): self.init(ways: 1, filters: 1, containsMax: 1)
        case .field(_, let op, let value):
            let hasWays = op == .in || op == .arrayContainsAny
            let ways = hasWays ? value?.memberCount ?? 1 : 1
            self.init(ways: ways, filters: ways, containsMax: op == .arrayContainsAny ? 1 : 0)
        case .composite(.or, let parts):
            self = parts.reduce(into: Self(ways: 0, filters: 0)) { sum, part in
                let part = Self(of: part)
                sum.ways = Self.sum(sum.ways, part.ways)
                sum.filters = Self.sum(sum.filters, part.filters)
                sum.containsMax = max(sum.containsMax, part.containsMax)
            }
        case .composite(_, let parts):
            self = parts.reduce(into: Self(ways: 1, filters: 0)) { product, part in
                let part = Self(of: part)
                product.filters = Self.sum(
                    Self.product(product.filters, part.ways),
                    Self.product(part.filters, product.ways)
                )
                product.ways = Self.product(product.ways, part.ways)
                product.containsMax = Self.sum(product.containsMax, part.containsMax)
            }
        }
    }

    /// `otherClauses` are the query's orders and its parent document.
    func check(otherClauses: Int) throws(QueryError) {
        guard self.ways <= QueryLimits.disjunctionsMax else { throw QueryError(.tooManyDisjunctions(self.ways)) }
        guard self.containsMax <= 1 else { throw QueryError(.severalArrayContains) }
        guard Self.sum(self.filters, otherClauses) <= QueryLimits.clausesMax else { throw QueryError(.tooManyClauses) }
    }

    private static func sum(_ left: Int, _ right: Int) -> Int {
        let (sum, overflow) = left.addingReportingOverflow(right)
        return overflow ? .max : sum
    }

    private static func product(_ left: Int, _ right: Int) -> Int {
        let (product, overflow) = left.multipliedReportingOverflow(by: right)
        return overflow ? .max : product
    }
}

extension Value {
    fileprivate var memberCount: Int? {
        if case .array(let members) = self { members.count } else { nil }
    }
}
