extension TreeTemplate {
    /// As a client writes it: export form, with what the server works out still to be worked out.
    package var json: JSONValue { self.json(.export) }

    package func json(_ form: TreeEmitter.Form) -> JSONValue {
        self.serverValues?.json(over: self.node, form) ?? self.node.json(form)
    }

    /// Of the node itself; nil where it has none.
    package var priorityJSON: JSONValue? {
        guard let serverValues else { return self.node.priority.scalar?.json }
        return serverValues.priorityJSON(over: self.node)
    }
}

extension ServerValues {
    /// Recursive, as deep as written values may be.
    fileprivate func json(over node: TreeNode, _ form: TreeEmitter.Form) -> JSONValue {
        let priority = form == .plain ? nil : self.priorityJSON(over: node)
        var members: [JSONValue.Member]
        if let value {
            guard priority != nil else { return value.json }
            members = [.init(".value", value.json)]
        } else if let scalar = node.scalar {
            guard priority != nil else { return scalar.json }
            members = [.init(".value", scalar.json)]
        } else {
            var values: [TreeText: ServerValues] = [:]
            for child in self.children { values[child.key] = child.values }
            members = node.children.map { key, child in
                JSONValue.Member(
                    key.text,
                    values.removeValue(forKey: key.text)?.json(over: child, form) ?? child.json(form)
                )
            }
            members += self.children.compactMap { key, child in
                values[key].map { JSONValue.Member(key, $0.json(over: .absent, form)) }
            }
        }
        if let priority { members.append(.init(TreeLocation.priorityName, priority)) }
        return .object(members)
    }

    fileprivate func priorityJSON(over node: TreeNode) -> JSONValue? {
        switch self.priority {
        case nil: node.priority.scalar?.json
        case .written(let priority)?: priority.scalar?.json
        case .server(let value)?: value.json
        }
    }
}

extension ServerValue {
    fileprivate var json: JSONValue {
        switch self {
        case .timestamp: [".sv": "timestamp"]
        case .increment(let delta): [".sv": ["increment": delta.json]]
        }
    }
}

extension TreeScalar {
    fileprivate var json: JSONValue {
        switch self {
        case .boolean(let value): .scalar(.boolean(value))
        case .integer(let value): .scalar(.integer(value))
        case .double(let value): .scalar(.double(value))
        case .string(let text): .string(text)
        }
    }
}
