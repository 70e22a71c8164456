import BrasaTree

extension TreeQuery {
    /// The `params` of a step; everything where there are none.
    init(scripted params: JSONValue?) throws {
        var parts = SyncPointQuery()
        switch params {
        case nil, .null?: break
        case .object(let members)?: for member in members { try parts.take(member.key.string, member.value) }
        default: throw SyncPointCase.Malformed(text: "params are no object")
        }
        try self.init(
            order: parts.order ?? .priority,
            start: parts.start?.bound(parts.order),
            end: parts.end?.bound(parts.order),
            limit: parts.limit
        )
    }
}

/// A query as a script puts it together.
private struct SyncPointQuery {
    /// Its order may be said after it.
    struct Bound {
        let index: JSONValue
        let name: TreeText?
        let isInclusive: Bool
    }

    private(set) var order: TreeQuery.Order?
    private(set) var start: Bound?
    private(set) var end: Bound?
    private(set) var limit: TreeQuery.Limit?

    mutating func take(_ name: String, _ value: JSONValue) throws {
        switch name {
        case "tag", "comment", ".comment": break
        case "orderBy":
            guard case .string(let text) = value else { throw Self.malformed(name) }
            let named: [String: TreeQuery.Order] = [".key": .key, ".value": .value, ".priority": .priority]
            try Self.set(&self.order, named[text.string] ?? .child(TreePath(text.string)), name)
        case "orderByKey": try self.order(.key, name, value)
        case "orderByValue": try self.order(.value, name, value)
        case "orderByPriority": try self.order(.priority, name, value)
        case "startAt": try Self.set(&self.start, Self.bound(name, value), name)
        case "startAfter": try Self.set(&self.start, Self.bound(name, value, isInclusive: false), name)
        case "endAt": try Self.set(&self.end, Self.bound(name, value), name)
        case "endBefore": try Self.set(&self.end, Self.bound(name, value, isInclusive: false), name)
        case "equalTo":
            let bound = try Self.bound(name, value)
            try Self.set(&self.start, bound, name)
            try Self.set(&self.end, bound, name)
        case "limitToFirst": try Self.set(&self.limit, Self.limit(name, value, .first), name)
        case "limitToLast": try Self.set(&self.limit, Self.limit(name, value, .last), name)
        default: throw SyncPointCase.Malformed(text: "unknown param \(name)")
        }
    }

    private static func malformed(_ name: String) -> SyncPointCase.Malformed {
        SyncPointCase.Malformed(text: "\(name) is not what it should be, or comes twice")
    }

    private static func set<Part>(_ part: inout Part?, _ value: Part, _ name: String) throws {
        guard part == nil else { throw self.malformed(name) }
        part = value
    }

    private mutating func order(_ order: TreeQuery.Order, _ name: String, _ value: JSONValue) throws {
        guard value == .scalar(.boolean(true)) else { throw Self.malformed(name) }
        try Self.set(&self.order, order, name)
    }

    private static func bound(_ name: String, _ value: JSONValue, isInclusive: Bool = true) throws -> Bound {
        guard case .object = value else { throw self.malformed(name) }
        let key: TreeText?
        switch value["name"] {
        case nil, .null?: key = nil
        case .string(let text)?: key = text
        default: throw self.malformed(name)
        }
        return Bound(index: value["index"] ?? .null, name: key, isInclusive: isInclusive)
    }

    private static func limit(_ name: String, _ value: JSONValue, _ end: TreeQuery.Limit.End) throws -> TreeQuery.Limit
    {
        guard case .scalar(.integer(let count)) = value else { throw self.malformed(name) }
        return TreeQuery.Limit(Int(count), end)
    }
}

extension SyncPointQuery.Bound {
    func bound(_ order: TreeQuery.Order?) throws -> QueryBound {
        guard order == .key else {
            return QueryBound(
                value: IndexValue(try TreeTemplate(self.index).node),
                key: self.name.map { .text($0) },
                isInclusive: self.isInclusive
            )
        }
        // By key the index is one.
        guard case .string(let key) = self.index, self.name == nil else {
            throw SyncPointCase.Malformed(text: "a bound of a query by key is no key")
        }
        return QueryBound(key: .text(key), isInclusive: self.isInclusive)
    }
}
