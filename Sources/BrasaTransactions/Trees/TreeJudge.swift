import BrasaStore
package import BrasaTree

/// Says whether writes may happen, by what they would make of the tree: the hook for rules.
package struct TreeJudge: Sendable {
    let allows: @Sendable (TreeProposal) -> Bool

    /// - Parameter allows: may be asked several times about the same writes, on any thread, and does not wait.
    package init(_ allows: @escaping @Sendable (TreeProposal) -> Bool) {
        self.allows = allows
    }
}

/// What a judge is asked about: the whole tree before the writes and after them.
package struct TreeProposal: Sendable {
    package let before: TreeNode
    package let after: TreeNode
    /// One for each write, each on what the one before left.
    /// A change without placements stands for a write that cannot be carried out.
    package let changes: [TreeChange]
    /// The present, which is also what the server's timestamps in the writes became.
    package let milliseconds: Int64

    fileprivate init(_ commit: TreeCommit, _ changes: [TreeChange], _ milliseconds: Int64) {
        (self.before, self.after) = (commit.before, commit.after)
        (self.changes, self.milliseconds) = (changes, milliseconds)
    }
}

/// Writes worked out on one version of a tree, and what the judge says of that. It holds as long as the root is that very
/// one: what was judged is then what is applied.
struct TreeRuling: Sendable {
    enum Verdict: Sendable {
        case allowed(TreeCommit)
        case denied
        /// It cannot be carried out.
        case refused(TreeError)
    }

    let root: TreeNode
    let verdict: Verdict

    /// Takes as long as the judge does.
    init(of order: TreeOrder, by judge: TreeJudge, in store: Store) {
        let milliseconds = store.presentTime.milliseconds
        var commit = TreeCommit(of: order.tree)
        self.root = commit.before
        for write in order.writes {
            do throws(TreeError) {
                try commit.add(write, milliseconds: milliseconds)
            } catch {
                // Why it cannot be tells something of what is there: to those alone who might write there.
                let nothing = TreeChange(path: write.write.path, isUpdate: write.write.isUpdate, placements: [])
                let proposal = TreeProposal(commit, commit.changes + [nothing], milliseconds)
                self.verdict = judge.allows(proposal) ? .refused(error) : .denied
                return
            }
        }
        let isAllowed = judge.allows(TreeProposal(commit, commit.changes, milliseconds))
        self.verdict = isAllowed ? .allowed(commit) : .denied
    }
}
