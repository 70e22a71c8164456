extension TreeQuery {
    package struct Parameter: Hashable, Sendable {
        package var name: String
        package var value: String

        package init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    private static let names: Set<String> = [
        "orderBy", "startAt", "startAfter", "endAt", "endBefore", "equalTo", "limitToFirst", "limitToLast",
    ]

    /// From the parameters of a URL, decoded. Nil when none of them is about filtering; the others are not looked at.
    package init?(parameters: [Parameter]) throws(TreeError) {
        var asked: [String: String] = [:]
        for parameter in parameters where Self.names.contains(parameter.name) {
            guard asked.updateValue(parameter.value, forKey: parameter.name) == nil else {
                throw TreeError(.duplicateParameter(parameter.name))
            }
        }
        guard !asked.isEmpty else { return nil }
        guard let orderText = asked["orderBy"] else { throw TreeError(.orderMissing) }
        let order = try Order(text: orderText)
        let equal = try Self.bound("equalTo", of: asked, order)
        try self.init(
            order: order,
            start: Self.only(
                [equal, Self.bound("startAt", of: asked, order), Self.bound("startAfter", of: asked, order)],
                else: .severalStarts
            ),
            end: Self.only(
                [equal, Self.bound("endAt", of: asked, order), Self.bound("endBefore", of: asked, order)],
                else: .severalEnds
            ),
            limit: Self.only(
                [Self.limit("limitToFirst", .first, of: asked), Self.limit("limitToLast", .last, of: asked)],
                else: .severalLimits
            )
        )
    }

    private static func only<Value>(_ values: [Value?], else reason: TreeError.Reason) throws(TreeError) -> Value? {
        let there = values.compactMap { $0 }
        guard there.count <= 1 else { throw TreeError(reason) }
        return there.first
    }

    private static func limit(
        _ name: String,
        _ end: Limit.End,
        of asked: [String: String]
    ) throws(TreeError) -> Limit? {
        guard let text = asked[name] else { return nil }
        guard let count = Int(text), !text.hasPrefix("+") else { throw TreeError(.invalidLimit) }
        return Limit(count, end)
    }

    /// A JSON primitive and, after a comma, a key as a JSON string.
    private static func bound(
        _ name: String,
        of asked: [String: String],
        _ order: Order
    ) throws(TreeError) -> QueryBound? {
        guard let text = asked[name] else { return nil }
        let parsed: JSONValue
        do throws(TreeError) {
            parsed = try JSONValue(parsing: Array("[\(text)]".utf8))
        } catch {
            throw TreeError(.constraintNotPrimitive)
        }
        guard case .array(let elements) = parsed, (1...2).contains(elements.count),
            let value = IndexValue(primitive: elements[0])
        else { throw TreeError(.constraintNotPrimitive) }
        let isInclusive = name != "startAfter" && name != "endBefore"
        var key: QueryBound.Key?
        if elements.count == 2 {
            guard case .string(let text) = elements[1] else { throw TreeError(.constraintNotPrimitive) }
            key = QueryBound.Key(named: text)
        }
        guard order == .key else { return QueryBound(value: value, key: key, isInclusive: isInclusive) }
        guard key == nil else { throw TreeError(.keyBoundWithKey) }
        guard case .scalar(.string(let text)) = value else { throw TreeError(.keyBoundNotString) }
        return QueryBound(key: QueryBound.Key(named: text), isInclusive: isInclusive)
    }

    /// What a read with these parameters gives: children alone, and so of a leaf nothing, even when only an order was asked
    /// for.
    package func answer(of node: TreeNode) -> TreeNode {
        node.root == nil ? .absent : self.filter(node).withPriority(.none)
    }

    /// As the parameters of a URL, not yet percent-encoded.
    package var parameters: [Parameter] {
        guard !self.isComplete else { return [] }
        var parameters = [Parameter("orderBy", self.order.text)]
        if let start { parameters.append(Self.parameter(start, self.order, isStart: true)) }
        if let end { parameters.append(Self.parameter(end, self.order, isStart: false)) }
        if let limit {
            parameters.append(Parameter(limit.end == .first ? "limitToFirst" : "limitToLast", "\(limit.count)"))
        }
        return parameters
    }

    private static func parameter(_ bound: QueryBound, _ order: Order, isStart: Bool) -> Parameter {
        let name =
            switch (isStart, bound.isInclusive) {
            case (true, true): "startAt"
            case (true, false): "startAfter"
            case (false, true): "endAt"
            case (false, false): "endBefore"
            }
        var elements = order == .key ? [] : [bound.value.json]
        if order == .key {
            elements.append(.string((bound.key ?? .minimum).name))
        } else if case .text(let key)? = bound.key {
            elements.append(.string(key))
        }
        return Parameter(name, elements.map { String(decoding: $0.text, as: UTF8.self) }.joined(separator: ","))
    }
}

extension TreeQuery.Order {
    /// Of a JSON string: `"$key"`, `"$value"`, `"$priority"` or a path.
    fileprivate init(text: String) throws(TreeError) {
        do throws(TreeError) {
            guard case .string(let name) = try JSONValue(parsing: Array(text.utf8)) else {
                throw TreeError(.invalidOrder)
            }
            switch name {
            case "$key": self = .key
            case "$value": self = .value
            case "$priority": self = .priority
            default:
                let path = try TreePath(name.string)
                guard !path.isRoot else { throw TreeError(.invalidOrder) }
                self = .child(path)
            }
        } catch {
            throw TreeError(.invalidOrder)
        }
    }

    fileprivate var text: String {
        let name: String =
            switch self {
            case .key: "$key"
            case .value: "$value"
            case .priority: "$priority"
            case .child(let path): path.keys.map(\.text.string).joined(separator: "/")
            }
        return String(decoding: JSONValue.string(TreeText(name)).text, as: UTF8.self)
    }
}

extension IndexValue {
    /// Nil for an array or object.
    init?(primitive value: JSONValue) {
        switch value {
        case .null: self = .absent
        case .scalar(let scalar):
            guard let scalar = scalar.treeScalar else { return nil }
            self = .scalar(scalar)
        case .string(let text): self = .scalar(.string(text))
        case .array, .object: return nil
        }
    }

    var json: JSONValue {
        switch self {
        case .absent, .inner: .null
        case .scalar(.boolean(let value)): .scalar(.boolean(value))
        case .scalar(.integer(let value)): .scalar(.integer(value))
        case .scalar(.double(let value)): .scalar(.double(value))
        case .scalar(.string(let text)): .string(text)
        }
    }
}
