import BrasaTree
import BrasaTreeRules
import BrasaTreeWire

/// A text up to the first byte 0xFF, and another behind it. The first is taken for a value, an update, a query, rules and a
/// client's message, the second for the value that was there. What is read must keep its laws: a tree's text reads back as
/// the tree, a query's object as the query, a client that takes range merges has the server's tree, and a window is what
/// filtering gives.
package func fuzzTree(_ bytes: [UInt8]) {
    let parts = bytes.split(separator: 0xFF, maxSplits: 1, omittingEmptySubsequences: false)
    let text = Array(parts[0])
    let present = parts.count > 1 ? TreeInput.node(Array(parts[1])) : TreeInput.standard
    TreeInput.write(text, over: present)
    TreeInput.update(text, over: present)
    TreeInput.query(text, of: present)
    TreeInput.judge(text, present)
    TreeInput.receive(text)
}

private enum TreeInput {
    static let standard = node(
        Array(#"{"a":{"n":1,".priority":2},"b":"x","3":[true,1.5],"10":{".value":"é",".priority":"p"}}"#.utf8)
    )

    static func node(_ text: [UInt8]) -> TreeNode {
        (try? TreeTemplate(parsing: text))?.resolved(present: .absent, milliseconds: 7) ?? .absent
    }

    static func write(_ text: [UInt8], over present: TreeNode) {
        guard let template = try? TreeTemplate(parsing: text) else { return }
        let node = template.resolved(present: present, milliseconds: 1_700_000_000_000)
        self.check(node)
        self.merge(from: present, to: node)
        guard let write = try? TreeWrite.set(template, at: TreeLocation(.root)),
            let change = try? write.resolved(in: present, milliseconds: 1_700_000_000_000)
        else { return }
        precondition(change.applied(to: present) == node)
    }

    /// What holds for every tree.
    private static func check(_ node: TreeNode) {
        for form in [TreeEmitter.Form.plain, .export] {
            var (steps, emitter) = (JSONText(), TreeEmitter(node, form))
            while emitter.emit(into: &steps, nodesMax: 3) {}
            precondition(steps.bytes == node.text(form))
        }
        precondition(self.node(node.text(.export)) == node)
        precondition(node.agrees(with: node.hash))
        precondition(node.isAbsent == node.hash.isEmpty)
        precondition(node.children.allSatisfy { node.child($0.key) == $0.node && !$0.node.isAbsent })
    }

    private static func merge(from held: TreeNode, to node: TreeNode) {
        guard !held.hasPriorities, let merges = CompoundHash(of: held).merges(to: node) else { return }
        precondition(merges.reduce(held) { $1.applied(to: $0) } == node)
    }

    static func update(_ text: [UInt8], over present: TreeNode) {
        var scanner = JSONScanner(UpdateReader())
        guard (try? scanner.read(text)) != nil, let entries = try? scanner.finish().entries,
            let write = try? TreeWrite.update(entries, at: .root),
            let change = try? write.resolved(in: present, milliseconds: 1)
        else { return }
        self.check(change.applied(to: present))
    }

    static func query(_ text: [UInt8], of node: TreeNode) {
        guard let value = try? JSONValue(parsing: text), let query = try? TreeQuery(wire: value) else { return }
        precondition((try? TreeQuery(wire: query.wire)) == query)
        precondition(query.isComplete || query.filter(node) == TreeWindow(query, of: node).node)
    }

    static func judge(_ text: [UInt8], _ node: TreeNode) {
        let opening = Array(#"{"rules":{"$a":{".read":""#.utf8)
        for source in [text, opening + text + Array(#""}}}"#.utf8)] {
            guard let rules = try? TreeRules(parsing: source), let path = try? TreePath("a/n") else { continue }
            for auth in [JSONValue.null, ["uid": "alice", "token": ["level": 3]]] {
                let request = TreeRuleRequest(auth: auth, milliseconds: 5)
                let decision = rules.read(path, in: node, request)
                precondition(decision.work <= TreeRuleLimits().work)
                precondition(rules.read(path, in: node, request) == decision)
            }
        }
    }

    static func receive(_ text: [UInt8]) {
        var connection = TreeConnection(milliseconds: 0)
        for frame in text.split(separator: UInt8(ascii: "\n")) {
            for case .perform(let ticket, _) in connection.receive(Array(frame), milliseconds: 0) {
                precondition(!connection.respond(ticket, .ok).isEmpty)
            }
        }
    }
}
