internal import BrasaDocuments

extension Compiler {
    enum Meaning {
        case local(Int)
        case capture(Int)
        case request
        case resource
    }

    /// From the inside out: what the function binds, the captures of the blocks around the declaration, the request.
    func meaning(of name: String, in scope: Int) -> Meaning? {
        if let local = self.locals?.index(of: name) { return .local(local) }
        var next: Int? = scope
        while let index = next {
            if let capture = self.scopes[index].captures.last(where: { $0.name == name }) {
                return .capture(capture.segment)
            }
            next = self.scopes[index].parent
        }
        return switch name {
        case "request": .request
        case "resource": .resource
        default: nil
        }
    }

    func function(_ name: String, from scope: Int) -> Int? {
        var next: Int? = scope
        while let index = next {
            if let function = self.scopes[index].functions[name] { return function }
            next = self.scopes[index].parent
        }
        return nil
    }

    mutating func compileName(_ name: String, _ scope: Int, at range: SourceRange) -> (NodeID, TypeSet) {
        switch self.meaning(of: name, in: scope) {
        case .local(let index):
            self.locals?.all[index].isUsed = true
            return (self.draft.add(.local(index), at: range), self.locals?.all[index].types ?? .any)
        case .capture(let segment): return (self.draft.add(.capture(segment), at: range), [.string, .path])
        case .request: return (self.draft.add(.request, at: range), .map)
        case .resource: return (self.draft.add(.resource, at: range), [.map, .null])
        case nil:
            self.diagnostics.warn("Invalid variable name: \(name).", at: range)
            return (self.draft.add(.unknownName, at: range), .any)
        }
    }

    /// `request.x`, `resource.data.x.y` and `request.resource.data.x` become one node each. Nil for other members.
    mutating func compileChain(_ id: ExpressionID, _ scope: Int) -> (NodeID, TypeSet)? {
        var names: [String] = []
        var next = id
        while case .member(let inner, let name) = self.syntax.expressions[next].kind {
            names.append(name)
            next = inner
        }
        guard case .name(let root) = self.syntax.expressions[next].kind else { return nil }
        names.reverse()
        let range = self.syntax.expressions[id].range
        switch self.meaning(of: root, in: scope) {
        case .resource where names[0] == "data":
            let field = Self.field(names.dropFirst(), cost: names.count + 1)
            return (self.draft.add(.storedField(field), at: range), .any)
        case .request:
            if names.count == 1, let member = RequestMember(rawValue: names[0]) {
                return (self.draft.add(.requestMember(member), at: range), Self.types(of: member))
            }
            guard names.count > 1, names[0] == "resource", names[1] == "data" else { return nil }
            let field = Self.field(names.dropFirst(2), cost: names.count + 1)
            return (self.draft.add(.futureField(field), at: range), .any)
        default: return nil
        }
    }

    private static func field(_ names: ArraySlice<String>, cost: Int) -> DocumentField {
        DocumentField(names: names.map { RuleText(UTF8Text($0)) }, cost: cost)
    }

    private static func types(of member: RequestMember) -> TypeSet {
        switch member {
        case .auth: [.map, .null]
        case .method: .string
        case .path: .path
        case .time: .timestamp
        case .resource: [.map, .null]
        case .query: .map
        }
    }
}
