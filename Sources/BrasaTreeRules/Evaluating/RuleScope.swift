import BrasaTree

/// What a rule is evaluated with, where it stands.
struct RuleScope {
    /// The tree before the operation, and after it; nil for a read.
    let old: TreeNode
    let new: TreeNode?
    let auth: JSONValue
    let now: Double
    let query: TreeQuery?

    /// From the root to where the rule stands.
    private(set) var path: [TreeKey] = []
    private(set) var captures: [TreeText] = []
    /// The node there, before and after.
    private(set) var data: TreeNode
    private(set) var newData: TreeNode

    init(old: TreeNode, new: TreeNode?, auth: JSONValue, now: Int64, query: TreeQuery? = nil) {
        (self.old, self.new, self.auth, self.now, self.query) = (old, new, auth, Double(now), query)
        (self.data, self.newData) = (old, new ?? .absent)
    }

    /// As seen from a child, and the rules that stand there; nil where there are none, nor beneath.
    func child(_ key: TreeKey, _ rules: RuleNode) -> (scope: RuleScope, rules: RuleNode)? {
        let literal = rules.children[key]
        guard let next = literal ?? rules.wildcard else { return nil }
        var scope = self
        scope.path.append(key)
        if literal == nil { scope.captures.append(key.text) }
        scope.data = self.data.child(key)
        scope.newData = self.newData.child(key)
        return (scope, next)
    }
}

/// A node at its place, from which others can be reached.
struct RuleSnapshot {
    let root: TreeNode
    let path: [TreeKey]
    let node: TreeNode

    /// Nil at the root.
    var parent: RuleSnapshot? {
        guard !self.path.isEmpty else { return nil }
        let path = Array(self.path.dropLast())
        return RuleSnapshot(root: self.root, path: path, node: self.root[TreePath(path)])
    }

    func child(_ path: TreePath) -> RuleSnapshot {
        RuleSnapshot(root: self.root, path: self.path + path.keys, node: self.node[path])
    }
}
