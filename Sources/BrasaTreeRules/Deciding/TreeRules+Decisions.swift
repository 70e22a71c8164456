import BrasaRules
package import BrasaTree

/// Who asks, and when.
package struct TreeRuleRequest: Hashable, Sendable {
    /// Null, or an object with `uid`, `provider` and `token`.
    package var auth: JSONValue
    package var milliseconds: Int64

    package init(auth: JSONValue, milliseconds: Int64) {
        (self.auth, self.milliseconds) = (auth, milliseconds)
    }
}

extension TreeRules {
    /// Whether a node may be read: a `.read` on the way to it, or its own, must be true. Rules beneath do not matter.
    package func read(
        _ path: TreePath,
        _ query: TreeQuery? = nil,
        in root: TreeNode,
        _ request: TreeRuleRequest,
        limits: TreeRuleLimits = TreeRuleLimits()
    ) -> TreeRuleDecision {
        var decision = Decision(limits.work)
        let scope = RuleScope(
            old: root,
            new: nil,
            auth: request.auth,
            now: request.milliseconds,
            query: query
        )
        let isAllowed = decision.isGranted(\.read, self.root, scope, path)
        return decision.finish(isAllowed)
    }

    /// Whether a change may be made: for each of its places a `.write` on the way or there must be true, and every
    /// `.validate` on the way, there and beneath, as far as there will be nodes. `new` is the tree with the whole change.
    package func write(
        _ change: TreeChange,
        from old: TreeNode,
        to new: TreeNode,
        _ request: TreeRuleRequest,
        limits: TreeRuleLimits = TreeRuleLimits()
    ) -> TreeRuleDecision {
        let nodes = change.placements.reduce(0) { $0 + $1.node.nodeCount }
        var decision = Decision(limits.work(forNodes: nodes))
        let scope = RuleScope(old: old, new: new, auth: request.auth, now: request.milliseconds)
        // An update of nothing is one of its node.
        if change.placements.isEmpty {
            let isAllowed = decision.isGranted(\.write, self.root, scope, change.path)
            return decision.finish(isAllowed)
        }
        let isAllowed = change.placements.allSatisfy { placement in
            guard decision.isGranted(\.write, self.root, scope, placement.location.path) else { return false }
            // What removes a node is not validated.
            guard placement.location.isPriority || !placement.node.isAbsent else { return true }
            return decision.isValid(self.root, scope, placement.location)
        }
        return decision.finish(isAllowed)
    }
}

/// One decision under way. Once its work is used up, everything is refused.
private struct Decision {
    private let units: Int
    private var work: Work

    init(_ units: Int) {
        self.units = units
        self.work = Work(units)
    }

    func finish(_ isAllowed: Bool) -> TreeRuleDecision {
        TreeRuleDecision(isAllowed: isAllowed, work: self.units - self.work.left)
    }

    private mutating func holds(_ expression: RuleExpression, _ scope: RuleScope) -> Bool {
        var evaluator = RuleEvaluator(scope, self.work)
        defer { self.work = evaluator.work }
        do throws(EvaluationError) {
            return try evaluator.boolean(expression)
        } catch {
            return false
        }
    }

    /// Whether a rule of one kind is true somewhere from the root to the place.
    mutating func isGranted(
        _ kind: KeyPath<RuleNode, RuleExpression?>,
        _ root: RuleNode,
        _ scope: RuleScope,
        _ path: TreePath
    ) -> Bool {
        var (rules, scope) = (root, scope)
        var rest = path.keys[...]
        while true {
            if let rule = rules[keyPath: kind], self.holds(rule, scope) { return true }
            guard let key = rest.popFirst(), let next = scope.child(key, rules) else { return false }
            (scope, rules) = next
        }
    }

    mutating func isValid(_ root: RuleNode, _ scope: RuleScope, _ location: TreeLocation) -> Bool {
        var (rules, scope) = (root, scope)
        for key in location.path.keys {
            if !self.isValidHere(rules, scope) { return false }
            guard let next = scope.child(key, rules) else { return true }
            (scope, rules) = next
        }
        // A priority is validated by its node's rule alone.
        return location.isPriority ? self.isValidHere(rules, scope) : self.isValidBeneath(rules, scope)
    }

    private mutating func isValidHere(_ rules: RuleNode, _ scope: RuleScope) -> Bool {
        guard let rule = rules.validate, !scope.newData.isAbsent else { return true }
        return self.holds(rule, scope)
    }

    /// Recursive, as deep as the tree and the rules both are.
    private mutating func isValidBeneath(_ rules: RuleNode, _ scope: RuleScope) -> Bool {
        guard rules.validates, self.isValidHere(rules, scope) else { return !rules.validates }
        guard rules.wildcard?.validates ?? false else {
            return rules.children.allSatisfy { key, child in
                guard child.validates else { return true }
                guard self.step(), let next = scope.child(key, rules) else { return false }
                return next.scope.newData.isAbsent || self.isValidBeneath(next.rules, next.scope)
            }
        }
        for (key, _) in scope.newData.children {
            guard self.step(), let next = scope.child(key, rules), self.isValidBeneath(next.rules, next.scope) else {
                return false
            }
        }
        return true
    }

    private static let stepWork = 300

    /// Pays for a child that is looked at.
    private mutating func step() -> Bool {
        do throws(EvaluationError) {
            try self.work.spend(Self.stepWork)
            return true
        } catch {
            return false
        }
    }
}
