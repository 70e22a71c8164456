import BrasaStore
import BrasaTree
import BrasaTreeEngine
import BrasaTreeJudging

/// What a session has left, to be written at its end.
package struct TreeParting: Sendable {
    let will: TreeWillID
    let tree: TreeHandle
    /// Those that are to be written; none: it is only to be forgotten.
    var writes: [TreeWrite]
    /// As whom: rules are asked again.
    let caller: TreeCaller
    /// Rounds in which a write was refused or denied that could be carried out, and might, a moment before.
    var rounds = 0
    /// By how much less is kept than could be judged a moment before, in halvings.
    var thrift = 0
    var done: @Sendable () -> Void

    /// - Parameter caller: nil: who may not write.
    init(
        _ will: TreeWillID,
        of tree: TreeHandle,
        _ writes: [TreeWrite],
        by caller: TreeCaller?,
        done: @escaping @Sendable () -> Void
    ) {
        self.will = will
        self.tree = tree
        self.writes = caller == nil ? [] : writes
        self.caller = caller ?? .client(.null)
        self.done = done
    }

    /// Without those that cannot be carried out on a version, or are not allowed on it, each on what those before it left; and
    /// without those behind what can be paid.
    mutating func keepPossible(on root: TreeNode, _ rules: TreeRuleBook, milliseconds: Int64, paying purse: WorkPurse) {
        var root = root
        self.writes = self.writes.filter { write in
            guard let change = try? write.resolved(in: root, milliseconds: milliseconds),
                let after = rules.allowed(
                    change,
                    to: self.tree.name,
                    from: root,
                    by: self.caller,
                    milliseconds: milliseconds,
                    paying: purse
                )
            else { return false }
            root = after
            return true
        }
    }

    /// What it takes to write, in units of the rules' work, without what they take.
    var work: Int {
        Self.workPerPlace * self.writes.reduce(1) { $0 + 1 + $1.assignments.count }
    }

    /// Some microseconds.
    private static let workPerPlace = 2_000
}
