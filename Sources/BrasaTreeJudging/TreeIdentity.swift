package import BrasaIdentity
package import BrasaStore
package import BrasaTree
package import BrasaTreeEngine

/// Who asks of trees, as rules are to see them.
package struct TreeIdentity: Sendable {
    private let caller: Caller
    private let override: JSONValue?
    private let auth: JSONValue

    /// - Parameter override: what an administrator wants the rules to see as `auth`, null for nobody; nil: not to be judged.
    package init(_ caller: Caller, override: JSONValue? = nil) {
        self.caller = caller
        self.override = override
        if case .user(let user) = caller { self.auth = user.auth } else { self.auth = override ?? .null }
    }

    /// As whom they read a tree; nil: not at all, whatever the rules say.
    package func reader(of tree: TreeNamespace) -> TreeCaller? {
        self.treeCaller(isAdmitted: self.caller.mayRead(tree.description))
    }

    /// The same of writing.
    package func writer(of tree: TreeNamespace) -> TreeCaller? {
        self.treeCaller(isAdmitted: self.caller.mayWrite(tree.description))
    }

    private func treeCaller(isAdmitted: Bool) -> TreeCaller? {
        switch self.caller {
        case .administrator, .restricted:
            guard isAdmitted else { return nil }
            return self.override == nil ? .administrator : .client(self.auth)
        case .user, .nobody:
            // Only administrators may say who they are.
            return self.override == nil ? .client(self.auth) : nil
        }
    }
}

extension User {
    /// `auth` in rules.
    fileprivate var auth: JSONValue {
        var members = [JSONValue.Member("uid", .string(TreeText(self.id)))]
        if case .map(let firebase)? = self.claims["firebase"], case .text(let name)? = firebase["sign_in_provider"] {
            members.append(JSONValue.Member("provider", .string(TreeText(name))))
        }
        members.append(JSONValue.Member("token", JSONValue(Claim.map(self.claims))))
        return .object(members)
    }
}

extension JSONValue {
    /// Recurses as deep as the token nests, which is bounded where it is read.
    fileprivate init(_ claim: Claim) {
        switch claim {
        case .null: self = .null
        case .bool(let value): self = .scalar(.boolean(value))
        case .integer(let value): self = .scalar(.integer(value))
        case .number(let value): self = .scalar(.double(value))
        case .text(let text): self = .string(TreeText(text))
        case .list(let elements): self = .array(elements.map { JSONValue($0) })
        case .map(let members):
            self = .object(members.map { Member(TreeText($0.key.string), JSONValue($0.value)) })
        }
    }
}
