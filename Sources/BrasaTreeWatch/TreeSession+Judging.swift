import BrasaStore
package import BrasaTree
import BrasaTreeEngine
package import BrasaTreeJudging

/// By what a listen was allowed last.
struct ListenStanding: Hashable {
    /// Of the rules.
    let edition: Int
    /// Counts as whom the session asked.
    let identity: Int
}

/// What a session may do, as whom it asks.
extension TreeSession {
    /// From now on it asks as somebody else. Listens that are not allowed any more end: at once as far as that is found out
    /// in a turn, and in any case before they are told of anything.
    ///
    /// - Parameter leavesAsBefore: what it leaves at its end is still judged as that of whom it was before.
    package func identify(as identity: TreeIdentity, leavesAsBefore: Bool = false) {
        self.take(identity, leavesAsBefore: leavesAsBefore)
        self.noteLeaver()
        self.watcher.judgeListens(of: self)
    }

    package func mayRead(_ target: TreeTarget) -> Bool {
        self.isAllowed(target, in: self.watcher.store.root(of: self.tree).root)
    }

    func isAllowed(_ target: TreeTarget, in root: TreeNode) -> Bool { self.judged(target, in: root).isAllowed }

    /// With the work that it took.
    func judged(_ target: TreeTarget, in root: TreeNode) -> (isAllowed: Bool, work: Int) {
        guard let reader = self.reader else { return (false, 0) }
        return self.watcher.rules.reading(
            target.path,
            target.query,
            of: self.tree.name,
            in: root,
            by: reader,
            milliseconds: self.watcher.milliseconds
        )
    }

    /// Whether a listen may be told of something: asked before each time, and answered by a look at two numbers while
    /// neither the rules nor who asks have changed.
    func mayBeTold(_ target: TreeTarget) -> Bool {
        guard self.isJudged else { return true }
        guard let standing = self.targets[target] else { return false }
        if standing == self.standing { return true }
        return self.judgeAgain(target).isAllowed
    }

    /// Ends a listen that is not allowed any more.
    func judgeAgain(_ target: TreeTarget) -> (isAllowed: Bool, work: Int) {
        guard self.targets[target] != nil, let root = self.watcher.existing(self.tree)?.audience.root else {
            return (false, 0)
        }
        let judged = self.judged(target, in: root)
        if judged.isAllowed {
            self.targets[target] = self.standing
        } else {
            self.unlisten(target)
            self.listener?.revoked(target)
        }
        return judged
    }

    /// Whether what was found out about its listens may not hold any more: then they are judged on this version.
    func takesUp(_ root: TreeNode) -> Bool {
        guard self.isJudged, !self.targets.isEmpty else { return false }
        let seen = Seen(standing: self.standing, root: root)
        if let last = self.seen, last.standing == seen.standing, last.root.isSame(as: root) { return false }
        self.seen = seen
        return true
    }

    /// On which version listens were judged last, or are about to be.
    struct Seen {
        let standing: ListenStanding
        let root: TreeNode
    }

    var standing: ListenStanding {
        ListenStanding(edition: self.watcher.rules.editionNumber, identity: self.identityNumber)
    }
}

/// What came of a read.
package enum TreeReadResult: Sendable {
    case node(TreeNode)
    case denied
    /// A question that is asked once needs an index; in the words that clients know.
    case notIndexed(String)
}
