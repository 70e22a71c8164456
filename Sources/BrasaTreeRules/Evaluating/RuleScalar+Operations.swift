import BrasaTree

extension RuleScalar {
    init(_ scalar: TreeScalar?) {
        switch scalar {
        case nil: self = .null
        case .boolean(let value)?: self = .boolean(value)
        case .integer(let value)?: self = .number(Double(value))
        case .double(let value)?: self = .number(value)
        case .string(let text)?: self = .string(text)
        }
    }

    var isString: Bool { if case .string = self { true } else { false } }

    /// As a part of a text that it is added to.
    var concatenated: TreeText {
        switch self {
        case .null: "null"
        case .boolean(let value): value ? "true" : "false"
        case .number(let value): value.ruleText
        case .string(let text): text
        }
    }
}

extension Double {
    /// As JavaScript writes it.
    var ruleText: TreeText {
        if self.isNaN { return "NaN" }
        guard self.isFinite else { return self < 0 ? "-Infinity" : "Infinity" }
        let text = JSONValue.scalar(.double(self)).text
        return TreeText(String(decoding: text, as: UTF8.self))
    }
}

extension RuleExpression.Comparison {
    func holds<Operand: Comparable>(_ left: Operand, _ right: Operand) -> Bool {
        switch self {
        case .less: left < right
        case .lessOrEqual: left <= right
        case .greater: left > right
        case .greaterOrEqual: left >= right
        }
    }
}

extension RuleExpression.Arithmetic {
    /// Division by zero is no error: what it gives compares false.
    func result(_ left: Double, _ right: Double) -> Double {
        switch self {
        case .subtract: left - right
        case .multiply: left * right
        case .divide: left / right
        case .remainder: left.truncatingRemainder(dividingBy: right)
        }
    }
}

extension RuleExpression.QueryMember {
    /// A plain read is one in the order of keys, without bounds.
    func value(in query: TreeQuery?) -> RuleScalar {
        let order = query?.order ?? .key
        switch self {
        case .orderByKey: return .boolean(order == .key)
        case .orderByPriority: return .boolean(order == .priority)
        case .orderByValue: return .boolean(order == .value)
        case .orderByChild:
            guard case .child(let path) = order else { return .null }
            return .string(TreeText(path.keys.map(\.description).joined(separator: "/")))
        case .startAt: return self.value(of: query?.start, order)
        case .endAt: return self.value(of: query?.end, order)
        case .equalTo:
            guard let start = query?.start, let end = query?.end, start.value == end.value else { return .null }
            guard order != .key || start.key == end.key else { return .null }
            return self.value(of: start, order)
        case .limitToFirst: return self.limit(query?.limit, .first)
        case .limitToLast: return self.limit(query?.limit, .last)
        }
    }

    private func value(of bound: QueryBound?, _ order: TreeQuery.Order) -> RuleScalar {
        guard let bound else { return .null }
        if order == .key {
            guard case .text(let key)? = bound.key else { return .null }
            return .string(key)
        }
        guard case .scalar(let scalar) = bound.value else { return .null }
        return RuleScalar(scalar)
    }

    private func limit(_ limit: TreeQuery.Limit?, _ end: TreeQuery.Limit.End) -> RuleScalar {
        guard let limit, limit.end == end else { return .null }
        return .number(Double(limit.count))
    }
}

extension RuleScope {
    func snapshot(_ name: RuleExpression.Snapshot) -> RuleSnapshot {
        switch name {
        case .root: RuleSnapshot(root: self.old, path: [], node: self.old)
        case .data: RuleSnapshot(root: self.old, path: self.path, node: self.data)
        case .newData: RuleSnapshot(root: self.new ?? .absent, path: self.path, node: self.newData)
        }
    }
}
