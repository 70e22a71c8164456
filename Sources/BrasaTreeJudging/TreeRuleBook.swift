package import BrasaStore
package import BrasaTransactions
package import BrasaTree
package import BrasaTreeEngine
package import BrasaTreeRules
import Synchronization

/// The rules that users, and who shows nothing, are judged by in trees. They are replaced as a whole.
package final class TreeRuleBook: Sendable {
    /// That have rules of their own.
    package static let treesMax = 1_000

    private struct Edition: Sendable {
        /// For trees without rules of their own.
        var general: TreeRules?
        var own: [TreeNamespace: TreeRules] = [:]
    }

    private let current = Mutex(Edition())
    /// 0: there never were any.
    private let number = Atomic<Int>(0)
    private let isOpenElsewhere = Mutex<(@Sendable () -> Bool)?>(nil)

    package init() {}

    /// From now on trees without rules are open to everybody, as long as `isOpen` says so: those of an emulator are.
    package func openOthers(while isOpen: @escaping @Sendable () -> Bool) {
        self.isOpenElsewhere.withLock { $0 = isOpen }
    }

    /// Another one after each change: who was judged by another is to be judged again.
    package var editionNumber: Int { self.number.load(ordering: .acquiring) }

    /// Whether there are rules for some tree.
    package var isInUse: Bool { self.editionNumber > 0 }

    /// Of a tree, where there are any for it.
    package func written(for tree: TreeNamespace) -> TreeRules? {
        self.current.withLock { $0.own[tree] ?? $0.general }
    }

    /// Where there are none, nobody but administrators gets in.
    package func rules(for tree: TreeNamespace) -> TreeRules {
        if let written = self.written(for: tree) { return written }
        let isOpen = self.isOpenElsewhere.withLock { $0 }
        return isOpen?() ?? false ? .open : .locked
    }

    package func hasRoom(for tree: TreeNamespace) -> Bool {
        self.current.withLock { $0.own[tree] != nil || $0.own.count < Self.treesMax }
    }

    /// What comes from now on is judged by these, in one tree or in all that have none of their own; nil: it has none.
    package func install(_ rules: TreeRules?, for tree: TreeNamespace? = nil) {
        self.current.withLock { edition in
            if let tree { edition.own[tree] = rules } else { edition.general = rules }
            self.number.add(1, ordering: .releasing)
        }
    }
}

// MARK: Asking

extension TreeRuleBook {
    /// Whether somebody may read a node, by a question or whole, and what work it was to find out. Of an administrator
    /// nothing is asked.
    package func reading(
        _ path: TreePath,
        _ query: TreeQuery? = nil,
        of tree: TreeNamespace,
        in root: TreeNode,
        by caller: TreeCaller,
        milliseconds: Int64
    ) -> (isAllowed: Bool, work: Int) {
        guard case .client(let auth) = caller else { return (true, 0) }
        let request = TreeRuleRequest(auth: auth, milliseconds: milliseconds)
        let decision = self.rules(for: tree).read(path, query, in: root, request)
        return (decision.isAllowed, decision.work)
    }

    /// For a write of somebody; nil for administrators. It asks the rules of the moment at which it is asked.
    ///
    /// - Parameter purse: what it takes is paid with that, filled again when it is asked again, as far as that goes; where it is
    ///   empty, nothing is allowed.
    package func judge(of tree: TreeNamespace, for caller: TreeCaller, paying purse: WorkPurse? = nil) -> TreeJudge? {
        guard case .client(let auth) = caller else { return nil }
        return TreeJudge { proposal in
            let request = TreeRuleRequest(auth: auth, milliseconds: proposal.milliseconds)
            let rules = self.rules(for: tree)
            purse?.refill()
            if proposal.changes.count == 1, let change = proposal.changes.first {
                return purse.pays { rules.write(change, from: proposal.before, to: proposal.after, request) }
            }
            // Each on what the one before left.
            var root = proposal.before
            return proposal.changes.allSatisfy { change in
                let before = root
                root = change.applied(to: before)
                return purse.pays { rules.write(change, from: before, to: root, request) }
            }
        }
    }

    /// The tree with a change, if somebody may make it by the rules of now.
    package func allowed(
        _ change: TreeChange,
        to tree: TreeNamespace,
        from root: TreeNode,
        by caller: TreeCaller,
        milliseconds: Int64,
        paying purse: WorkPurse? = nil
    ) -> TreeNode? {
        let after = change.applied(to: root)
        guard case .client(let auth) = caller else { return after }
        let request = TreeRuleRequest(auth: auth, milliseconds: milliseconds)
        return purse.pays { self.rules(for: tree).write(change, from: root, to: after, request) } ? after : nil
    }

    /// Nil when the rules name an index for a query; else what its asker is told, in the words that clients know.
    package func missingIndex(_ query: TreeQuery, at path: TreePath, of tree: TreeNamespace) -> String? {
        guard !self.rules(for: tree).isIndexed(query.order, at: path) else { return nil }
        return "Index not defined, add \".indexOn\": \"\(query.order.indexName)\", for path \"\(path)\", to the rules"
    }
}

extension TreeQuery.Order {
    /// As rules call it.
    fileprivate var indexName: String {
        switch self {
        case .key: ".key"
        case .priority: ".priority"
        case .value: ".value"
        case .child(let path): path.keys.map(\.text.string).joined(separator: "/")
        }
    }
}
