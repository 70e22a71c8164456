package import BrasaDocuments
internal import BrasaRules

/// Reads cases from YAML. See docs/rules.md for what stands in them.
package struct RuleCaseReader {
    private let now: Timestamp

    /// `now`: the time of requests that give none.
    package init(now: Timestamp) {
        self.now = now
    }

    package func cases(_ text: String) throws(RuleCaseError) -> [RuleCase] {
        let root = try CaseNode.root(of: text).members("the file", ["documents", "cases"])
        var common: [ResourcePath: EncodedFields] = [:]
        if let node = root["documents"] { common = try self.documents(node, at: self.now).compactMapValues { $0 } }
        guard let cases = try root["cases"]?.list("cases"), !cases.isEmpty else {
            throw RuleCaseError("no cases", line: nil)
        }
        var read: [RuleCase] = []
        for node in cases { read.append(try self.one(node, common)) }
        return read
    }

    private static let members: Set = [
        "name", "auth", "time", "documents", "method", "path", "data", "merge", "query", "writes", "expect",
    ]

    private func one(
        _ node: CaseNode,
        _ common: [ResourcePath: EncodedFields]
    ) throws(RuleCaseError) -> RuleCase {
        let members = try node.members("a case", Self.members)
        let time = try members["time"].map { (node) throws(RuleCaseError) in try node.time() } ?? self.now
        var documents = common
        if let own = members["documents"] {
            for (path, fields) in try self.documents(own, at: time) { documents[path] = fields }
        }
        let expected = try members["expect"]?.text("expect")
        guard let expected, ["allow", "deny"].contains(expected) else {
            throw (members["expect"] ?? node).error("expect is allow or deny")
        }
        let auth = try members["auth"]?.auth(at: time)
        let call = try CaseCallReader(members: members, documents: documents, time: time, node: node).call()
        return RuleCase(
            name: try Self.name(members, auth?.uid),
            line: node.line ?? 0,
            expectsAllowed: expected == "allow",
            auth: auth?.auth,
            time: time,
            documents: documents,
            call: call
        )
    }

    private static func name(_ members: [String: CaseNode], _ uid: String?) throws(RuleCaseError) -> String {
        if let name = members["name"] { return try name.text("name") }
        let who = uid.map { " as \($0)" } ?? ""
        guard let method = try members["method"]?.text("method") else { return "several writes\(who)" }
        guard let path = members["path"] else { return "\(method)\(who)" }
        if path.isList { return "\(method) of several documents\(who)" }
        return "\(method) \(try path.text("path"))\(who)"
    }

    /// Nil: a document that is not there, of a case.
    private func documents(
        _ node: CaseNode,
        at time: Timestamp
    ) throws(RuleCaseError) -> [ResourcePath: EncodedFields?] {
        var documents: [ResourcePath: EncodedFields?] = [:]
        for (key, value) in try node.entries("documents") {
            guard let path = try? ResourcePath(parsing: key.utf8), path.isDocument else {
                throw value.error("\(key) is no document: its path has an even number of names")
            }
            let isMissing = value.isNull
            documents.updateValue(isMissing ? nil : EncodedFields(encoding: try value.fields(at: time)), forKey: path)
        }
        return documents
    }
}

extension CaseNode {
    /// `alice`, or `{uid: alice, token: {admin: true}}`; null for nobody. The token has what test tools put into it.
    fileprivate func auth(at time: Timestamp) throws(RuleCaseError) -> (uid: String, auth: RuleAuth)? {
        if self.isNull { return nil }
        var uid = self
        var claims: [Value.MapEntry] = []
        if self.isMapping {
            let members = try self.members("auth", ["uid", "token"])
            guard let given = members["uid"] else { throw self.error("auth has a uid") }
            uid = given
            claims = try members["token"]?.fields(at: time) ?? []
        }
        let name = UTF8Text(try uid.text("auth"))
        let provider = [
            Value.MapEntry(key: "identities", value: .map([])),
            Value.MapEntry(key: "sign_in_provider", value: .string("custom")),
        ]
        let standard: [(key: UTF8Text, value: RuleValue)] = [
            ("sub", .string(RuleText(name))), ("user_id", .string(RuleText(name))),
            ("firebase", RuleValue(.map(provider))),
        ]
        let token = RuleMap(standard + claims.map { (key: $0.key, value: RuleValue($0.value)) })
        return (name.string, RuleAuth(uid: name, token: token))
    }
}
