import BrasaTree
import BrasaTreeRules
import Testing

func node(_ text: String) throws -> TreeNode { try TreeTemplate(parsing: Array(text.utf8)).node }
func path(_ text: String) throws -> TreePath { try TreePath(text) }
func rules(_ text: String) throws -> TreeRules { try TreeRules(parsing: Array(text.utf8)) }

/// The messages with which rules are refused.
func refusal(_ text: String) -> [RulesDiagnostic] {
    do throws(TreeRules.Refused) {
        _ = try TreeRules(parsing: Array(text.utf8))
        return []
    } catch {
        return error.diagnostics
    }
}

/// As a string of JSON.
func quoted(_ text: String) -> String { String(decoding: JSONValue.string(TreeText(text)).text, as: UTF8.self) }

/// Who asks in these tests, at 5,000 milliseconds.
let alice: JSONValue = [
    "uid": "alice", "provider": "password",
    "token": ["email": "a@b.c", "email_verified": true, "admin": true, "level": 3, "roles": ["x", "y"]],
]

extension TreeRules {
    func reads(
        _ path: String,
        _ query: TreeQuery? = nil,
        in root: String = "null",
        as auth: JSONValue = alice
    ) throws -> Bool {
        try self.read(TreePath(path), query, in: node(root), .init(auth: auth, milliseconds: 5_000)).isAllowed
    }

    /// A set.
    func writes(
        _ path: String,
        _ value: String,
        in root: String = "null",
        as auth: JSONValue = alice,
        limits: TreeRuleLimits = TreeRuleLimits()
    ) throws -> Bool {
        let location = try TreeLocation(path)
        let template = try TreeTemplate(parsing: Array(value.utf8), at: location.path)
        return try self.allows(.set(template, at: location), in: node(root), auth, limits)
    }

    func updates(_ path: String, _ value: String, in root: String, as auth: JSONValue = alice) throws -> Bool {
        var scanner = JSONScanner(UpdateReader(at: try TreePath(path)))
        try scanner.read(Array(value.utf8))
        let entries = try #require(try scanner.finish().entries)
        return try self.allows(.update(entries, at: TreePath(path)), in: node(root), auth, TreeRuleLimits())
    }

    private func allows(
        _ write: TreeWrite,
        in root: TreeNode,
        _ auth: JSONValue,
        _ limits: TreeRuleLimits
    ) throws -> Bool {
        let change = try write.resolved(in: root, milliseconds: 5_000)
        let decision = self.write(
            change,
            from: root,
            to: change.applied(to: root),
            .init(auth: auth, milliseconds: 5_000),
            limits: limits
        )
        #expect(decision.work <= limits.workMax)
        return decision.isAllowed
    }
}
