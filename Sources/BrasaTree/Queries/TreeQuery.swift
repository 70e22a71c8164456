/// Which of a node's children are asked for: their order, a range in it, and how many from one of its ends.
package struct TreeQuery: Hashable, Sendable {
    package enum Order: Hashable, Sendable {
        case priority
        case key
        case value
        /// By the node at a path below each child.
        case child(TreePath)
    }

    package struct Limit: Hashable, Sendable {
        package enum End: Hashable, Sendable {
            case first, last
        }

        package let count: Int
        package let end: End

        package init(_ count: Int, _ end: End) {
            self.count = count
            self.end = end
        }

        /// What a count may be, so that it fits 32 bits with a sign.
        package static let countMax = Int(Int32.max)
    }

    package let order: Order
    package let start: QueryBound?
    package let end: QueryBound?
    package let limit: Limit?

    package init(
        order: Order = .priority,
        start: QueryBound? = nil,
        end: QueryBound? = nil,
        limit: Limit? = nil
    ) throws(TreeError) {
        self.order = order
        self.start = start?.normalized(order, isStart: true)
        self.end = end?.normalized(order, isStart: false)
        self.limit = limit
        for bound in [start, end] { try bound?.check(order) }
        if let limit, !(1...Limit.countMax).contains(limit.count) { throw TreeError(.invalidLimit) }
    }

    /// Everything, in the default order.
    package static let all = TreeQuery()

    private init() {
        (self.order, self.start, self.end, self.limit) = (.priority, nil, nil, nil)
    }

    /// Whether all children are in it. Such a query is a plain listen, whatever its order.
    package var isComplete: Bool { self.start == nil && self.end == nil && self.limit == nil }
}

/// One end of a query's range: a place between children in the query's order.
package struct QueryBound: Hashable, Sendable {
    /// Where a bound stands among children whose index values equal its own.
    package enum Key: Hashable, Sendable {
        /// Before all: `[MIN_NAME]`.
        case minimum
        /// Any text; it need not be a valid key.
        case text(TreeText)
        /// After all: `[MAX_NAME]`.
        case maximum
    }

    /// Ordered by key, of no account.
    package var value: IndexValue
    /// Nil where the bound names a value alone: the children that have it are all in or all out.
    package var key: Key?
    package var isInclusive: Bool

    package init(value: IndexValue, key: Key? = nil, isInclusive: Bool = true) {
        self.value = value
        self.key = key
        self.isInclusive = isInclusive
    }

    /// Of a query by key.
    package init(key: Key, isInclusive: Bool = true) {
        self.init(value: .absent, key: key, isInclusive: isInclusive)
    }

    /// One form for bounds that stand at one place, so that equal queries are equal values.
    fileprivate func normalized(_ order: TreeQuery.Order, isStart: Bool) -> QueryBound {
        var bound = self
        if order == .key {
            bound.value = .absent
        } else if bound.key == nil {
            bound.key = isStart == self.isInclusive ? .minimum : .maximum
        }
        switch bound.key {
        case .minimum?: bound.isInclusive = isStart
        case .maximum?: bound.isInclusive = !isStart
        case .text?, nil: break
        }
        return bound
    }

    fileprivate func check(_ order: TreeQuery.Order) throws(TreeError) {
        switch order {
        case .key: if self.key == nil { throw TreeError(.keyBoundNotString) }
        case .priority: if case .scalar(.boolean) = self.value { throw TreeError(.priorityBoundInvalid) }
        case .value, .child: break
        }
        if case .inner = self.value { throw TreeError(.constraintNotPrimitive) }
    }
}

extension QueryBound.Key {
    package init(named text: TreeText) {
        switch text {
        case "[MIN_NAME]": self = .minimum
        case "[MAX_NAME]": self = .maximum
        default: self = .text(text)
        }
    }

    package var name: TreeText {
        switch self {
        case .minimum: "[MIN_NAME]"
        case .text(let text): text
        case .maximum: "[MAX_NAME]"
        }
    }

    /// Negative when the bound is before the key.
    func compare(_ key: TreeText) -> Int {
        switch self {
        case .minimum: -1
        case .text(let text): TreeKey.compare(text, key)
        case .maximum: 1
        }
    }
}
