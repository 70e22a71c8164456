/// The query object of the WebSocket protocol: `i` the order, `sp`/`ep` values and `sn`/`en` keys of the bounds with
/// `sin`/`ein` for whether they are included, `l` a limit, `vf` its end.
extension TreeQuery {
    package init(wire value: JSONValue) throws(TreeError) {
        guard case .object = value else { throw TreeError(.malformedQuery) }
        let order = try Order(wire: value["i"])
        let start = try QueryBound(value["sp"], key: value["sn"], isInclusive: value["sin"], order)
        let end = try QueryBound(value["ep"], key: value["en"], isInclusive: value["ein"], order)
        var limit: Limit?
        if let count = value["l"] {
            guard case .scalar(.integer(let count)) = count else { throw TreeError(.invalidLimit) }
            switch value["vf"] {
            case .string("l"): limit = Limit(Int(count), .first)
            case .string("r"): limit = Limit(Int(count), .last)
            // Old clients do not say: from the end that has a bound, else the last.
            case nil: limit = Limit(Int(count), start == nil ? .last : .first)
            default: throw TreeError(.malformedQuery)
            }
        }
        try self.init(order: order, start: start, end: end, limit: limit)
    }

    /// With keys in order, so that equal queries have equal texts.
    package var wire: JSONValue {
        var members: [JSONValue.Member] = []
        if let end { members += end.wire(self.order, isInclusive: "ein", key: "en", value: "ep") }
        if let name = self.order.wire { members.append(.init("i", .string(name))) }
        if let limit { members.append(.init("l", .scalar(.integer(Int64(limit.count))))) }
        if let start { members += start.wire(self.order, isInclusive: "sin", key: "sn", value: "sp") }
        if let limit { members.append(.init("vf", .string(limit.end == .first ? "l" : "r"))) }
        return .object(members)
    }
}

extension TreeQuery.Order {
    fileprivate init(wire value: JSONValue?) throws(TreeError) {
        switch value {
        case nil: self = .priority
        case .string(".priority"): self = .priority
        case .string(".key"): self = .key
        case .string(".value"): self = .value
        case .string(let text):
            let path = try TreePath(text.string)
            guard !path.isRoot else { throw TreeError(.malformedQuery) }
            self = .child(path)
        default: throw TreeError(.malformedQuery)
        }
    }

    /// Nil for the default.
    fileprivate var wire: TreeText? {
        switch self {
        case .priority: nil
        case .key: ".key"
        case .value: ".value"
        case .child(let path): TreeText(path.keys.map(\.text.string).joined(separator: "/"))
        }
    }
}

extension QueryBound {
    fileprivate init?(
        _ value: JSONValue?,
        key: JSONValue?,
        isInclusive: JSONValue?,
        _ order: TreeQuery.Order
    ) throws(TreeError) {
        guard value != nil || key != nil else { return nil }
        guard let index = IndexValue(primitive: value ?? .null) else { throw TreeError(.constraintNotPrimitive) }
        var named: Key?
        switch key {
        case nil: break
        case .string(let text): named = Key(named: text)
        default: throw TreeError(.malformedQuery)
        }
        let included: Bool
        switch isInclusive {
        case nil: included = true
        case .scalar(.boolean(let value)): included = value
        default: throw TreeError(.malformedQuery)
        }
        guard order == .key else {
            self.init(value: index, key: named, isInclusive: included)
            return
        }
        guard case .scalar(.string(let text)) = index else { throw TreeError(.keyBoundNotString) }
        self.init(key: Key(named: text), isInclusive: included)
    }

    fileprivate func wire(
        _ order: TreeQuery.Order,
        isInclusive: TreeText,
        key: TreeText,
        value: TreeText
    ) -> [JSONValue.Member] {
        var members = [JSONValue.Member(isInclusive, .scalar(.boolean(self.isInclusive)))]
        if order == .key {
            members.append(.init(value, .string((self.key ?? .minimum).name)))
            return members
        }
        // A bound without a key includes or leaves out all that have its value, which is what the key says otherwise.
        let isImplied = self.isInclusive && (self.key == .minimum || self.key == .maximum)
        if !isImplied, let name = self.key?.name { members.append(.init(key, .string(name))) }
        members.append(.init(value, self.value.json))
        return members
    }
}
