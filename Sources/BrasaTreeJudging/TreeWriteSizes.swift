package import BrasaStore
import BrasaTransactions
package import BrasaTree
package import BrasaTreeEngine

/// How long a write may be estimated to take.
package enum TreeWriteSize: String, Sendable {
    case tiny, small, medium, large, unlimited

    /// As the hosted service has it.
    fileprivate var secondsMax: Int? {
        switch self {
        case .tiny: 1
        case .small: 10
        case .medium: 30
        case .large: 60
        case .unlimited: nil
        }
    }

    /// What is set for a tree.
    fileprivate init(setFor tree: TreeNamespace, in store: Store) {
        let root = store.existingTree(.settings).map { store.root(of: $0).root } ?? .absent
        guard let location = try? TreeSetting.defaultWriteSizeLimit.location(in: tree),
            case .string(let name)? = root[location.path].scalar
        else {
            self = .large
            return
        }
        self = TreeWriteSize(rawValue: name.string) ?? .large
    }
}

/// What a write is estimated to take, and whether that is too long.
package struct TreeWriteSizes: Sendable {
    /// Nodes, written or replaced, that count as a second.
    private let nodesPerSecond: Int

    package init(nodesPerSecond: Int = 1_000_000) {
        self.nodesPerSecond = nodesPerSecond
    }

    /// - Parameter size: what the writer says; nil: what is set for the tree.
    package func allow(_ write: TreeWrite, to tree: TreeHandle, upTo size: TreeWriteSize? = nil, in store: Store)
        -> Bool
    {
        let nodes = write.nodes(in: store.root(of: tree).root)
        // Nearly all are less than any size.
        guard nodes > self.nodesPerSecond else { return true }
        let size = size ?? TreeWriteSize(setFor: tree.name, in: store)
        return size.secondsMax.map { nodes <= $0 * self.nodesPerSecond } ?? true
    }
}

extension TreeWrite {
    /// That it brings, and that it replaces.
    fileprivate func nodes(in root: TreeNode) -> Int {
        self.assignments.reduce(0) { count, assignment in
            let (template, location) = (assignment.template, assignment.location)
            let replaced = location.isPriority ? 1 : root[location.path].nodeCount
            return count + replaced + template.node.nodeCount + (template.serverValues?.count ?? 0)
        }
    }
}

extension TreeRuleBook {
    /// Whether somebody may make a write as the tree is now. Who may not is not told how large what is there is.
    package func allows(_ write: TreeWrite, to tree: TreeHandle, by caller: TreeCaller, in store: Store) -> Bool {
        guard caller != .administrator else { return true }
        let root = store.root(of: tree).root
        let milliseconds = store.presentTime.milliseconds
        guard let change = try? write.resolved(in: root, milliseconds: milliseconds) else { return false }
        let purse = WorkPurse(unitsMax: JudgingTurn.workMax)
        return self.allowed(
            change,
            to: tree.name,
            from: root,
            by: caller,
            milliseconds: milliseconds,
            paying: purse
        ) != nil
    }
}
