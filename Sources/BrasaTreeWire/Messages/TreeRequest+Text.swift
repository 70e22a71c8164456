import BrasaTree

extension TreeAction {
    /// The message of a request, as a client sends it.
    package func text(number: Int64) -> [UInt8] {
        let (name, body) = self.wire
        return JSONValue.object([
            .init("t", "d"),
            .init(
                "d",
                .object([.init("r", .scalar(.integer(number))), .init("a", .string(name)), .init("b", .object(body))])
            ),
        ]).text
    }

    private var wire: (name: TreeText, body: [JSONValue.Member]) {
        switch self {
        case .stats(let counts): return ("s", [.init("c", counts)])
        case .listen(let target, let tag, let hash, let compound):
            var body = target.wire(tag: tag) + [.init("h", .string(TreeText(hash)))]
            if let compound { body.append(.init("ch", compound.wire)) }
            return ("q", body)
        case .unlisten(let target, let tag): return ("n", target.wire(tag: tag))
        case .put(let write, let hash): return ("p", write.wire(hash: hash))
        case .merge(let write, let hash): return ("m", write.wire(hash: hash))
        case .get(let target): return ("g", [.path(TreeLocation(target.path)), .init("q", target.query?.wire ?? [:])])
        case .onDisconnectPut(let write): return ("o", write.wire(hash: nil))
        case .onDisconnectMerge(let write): return ("om", write.wire(hash: nil))
        case .onDisconnectCancel(let place): return ("oc", [.path(place), .init("d", .null)])
        case .authenticate(let credential): return credential.wire
        case .unauthenticate: return ("unauth", [])
        case .appCheck(let token): return ("appcheck", [.init("token", .string(TreeText(token)))])
        case .unAppCheck: return ("unappeck", [])
        }
    }
}

extension JSONValue.Member {
    /// Clients' paths begin with a slash.
    fileprivate static func path(_ location: TreeLocation) -> JSONValue.Member {
        JSONValue.Member("p", .string(TreeText(location.description)))
    }
}

extension TreeTarget {
    fileprivate func wire(tag: Int64?) -> [JSONValue.Member] {
        var body = [JSONValue.Member.path(TreeLocation(self.path))]
        if let query { body.append(.init("q", query.wire)) }
        if let tag { body.append(.init("t", .scalar(.integer(tag)))) }
        return body
    }
}

extension TreeWrite {
    fileprivate func wire(hash: String?) -> [JSONValue.Member] {
        var body: [JSONValue.Member]
        if self.isUpdate {
            let members = self.assignments.map { assignment in
                let path = self.path.relative(assignment.location.path) ?? .root
                let location = TreeLocation(path, isPriority: assignment.location.isPriority)
                return JSONValue.Member(TreeText(location.description.dropFirst()), assignment.template.json)
            }
            body = [.path(TreeLocation(self.path)), .init("d", .object(members))]
        } else {
            body = self.assignments.flatMap { assignment in
                [JSONValue.Member.path(assignment.location), JSONValue.Member("d", assignment.template.json)]
            }
        }
        if let hash { body.append(.init("h", .string(TreeText(hash)))) }
        return body
    }
}

extension TreeCredential {
    fileprivate var wire: (name: TreeText, body: [JSONValue.Member]) {
        var body = [JSONValue.Member("cred", .string(TreeText(self.token)))]
        if self.override == .null {
            body.append(.init("noauth", .scalar(.boolean(true))))
        } else if let override {
            body.append(.init("authvar", override))
        }
        return (self.isAdministrator ? "gauth" : "auth", body)
    }
}
