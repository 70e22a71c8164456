import BrasaStore
import BrasaTransactions
package import BrasaTree
package import BrasaTreeEngine
import BrasaTreeJudging

/// What one connection does with one tree. Used on its watcher's loop only; unchecked, because answers carry it there.
package final class TreeSession: @unchecked Sendable {
    let id: TreeListenerID
    let tree: TreeHandle
    let watcher: TreeWatcher
    private(set) weak var listener: (any TreeListener)?
    /// What is listened to, and by what that was allowed last.
    var targets: [TreeTarget: ListenStanding] = [:]
    /// As whom it asks; nil: it may not, whatever rules say.
    private(set) var reader: TreeCaller?
    /// Whether rules are asked about what it reads.
    private(set) var isJudged = true
    private(set) var writer: TreeCaller?
    private(set) var identityNumber = 0
    var seen: Seen?
    var leaving = TreeLeaving()
    let limits: TreeDatabaseLimits
    package private(set) var hasEnded = false
    /// Who waits until what it left is written; nil: nothing is to be written any more.
    private var partingWaiters: [@Sendable () -> Void]?

    init(
        _ id: TreeListenerID,
        _ tree: TreeHandle,
        _ watcher: TreeWatcher,
        _ listener: any TreeListener,
        _ identity: TreeIdentity,
        limits: TreeDatabaseLimits = TreeDatabaseLimits()
    ) {
        self.id = id
        self.tree = tree
        self.watcher = watcher
        self.listener = listener
        self.limits = limits
        self.take(identity, leavesAsBefore: false)
    }

    func take(_ identity: TreeIdentity, leavesAsBefore: Bool) {
        self.reader = identity.reader(of: self.tree.name)
        self.isJudged = self.reader != .administrator
        self.writer = identity.writer(of: self.tree.name)
        if !leavesAsBefore { self.leaving.caller = self.writer }
        self.identityNumber += 1
    }

    /// Begins to tell of a target's changes, from what is returned on; nil when that is not allowed.
    package func listen(
        to target: TreeTarget,
        holding hash: String,
        _ compound: CompoundHash? = nil
    ) -> TreeListenStart? {
        guard !self.hasEnded else { return nil }
        let followed = self.watcher.follow(self.tree)
        guard self.isAllowed(target, in: followed.audience.root) else {
            self.unlisten(target)
            self.watcher.release(self.tree)
            return nil
        }
        self.targets[target] = self.standing
        let missing = target.query.flatMap {
            self.watcher.rules.missingIndex($0, at: target.path, of: self.tree.name)
        }
        let content = followed.audience.add(self.id, to: target, holding: hash, compound)
        return TreeListenStart(content: content, isIndexed: missing == nil)
    }

    package func unlisten(_ target: TreeTarget) {
        guard self.targets.removeValue(forKey: target) != nil else { return }
        self.watcher.existing(self.tree)?.audience.remove(self.id, from: target)
        self.watcher.release(self.tree)
    }

    /// What a target that is listened to shows now; nil when it is not, or not any more.
    package func shown(_ target: TreeTarget) -> TreeNode? {
        guard self.targets[target] != nil, self.mayBeTold(target) else { return nil }
        return self.watcher.existing(self.tree)?.audience.shown(target)
    }

    /// What is there, durable, for who looks how much that is; nobody asks whether it may be read.
    package func node(at path: TreePath) -> TreeNode { self.watcher.store.root(of: self.tree).root[path] }

    /// What is there, durable.
    package func read(_ target: TreeTarget) -> TreeReadResult {
        let root = self.watcher.store.root(of: self.tree).root
        guard self.isAllowed(target, in: root) else { return .denied }
        guard let query = target.query else { return .node(root[target.path]) }
        if let text = self.watcher.rules.missingIndex(query, at: target.path, of: self.tree.name) {
            return .notIndexed(text)
        }
        return .node(query.filter(root[target.path]))
    }

    /// Answered when it is durable, after those who listen here were told. With a hash, only if the node at its path still
    /// has it.
    package func write(
        _ write: TreeWrite,
        expecting hash: String? = nil,
        then answer: @escaping @Sendable (TreeWriteResult) -> Void
    ) {
        // Who may not read a node would find out by its hash what it is.
        guard let writer = self.writer, hash == nil || self.mayRead(TreeTarget(write.path)) else {
            return answer(.denied)
        }
        let watcher = self.watcher
        guard watcher.writeSizes.allow(write, to: self.tree, in: watcher.store) else {
            let isAllowed = watcher.rules.allows(write, to: self.tree, by: writer, in: watcher.store)
            return answer(isAllowed ? .failed(.tooLarge, TreeError.tooMuchToWrite) : .denied)
        }
        let order = TreeOrder(
            [write],
            to: self.tree,
            onlyIf: hash.map { TreeCondition(path: write.path, hash: $0) },
            allowedBy: watcher.rules.judge(of: self.tree.name, for: writer)
        )
        watcher.transactions.commitTree(
            order,
            reply: Reply(mailbox: watcher.mailbox) { result in
                watcher.advance()
                answer(TreeWriteResult(result))
            }
        )
    }

    /// A client has few connections at a time, whatever it counts on.
    private static let partingWaitersMax = 16

    /// Nobody listens any more, and what was left is written.
    ///
    /// - Parameter done: called on the loop when that is durable, or is to be tried again.
    package func end(then done: @escaping @Sendable () -> Void = {}) {
        guard !self.hasEnded else {
            // On a full disk it may take as long as that stays so, while reads go on.
            let waits = (1..<Self.partingWaitersMax).contains(self.partingWaiters?.count ?? 0)
            guard waits, !self.watcher.store.isDiskFull else { return done() }
            self.partingWaiters?.append(done)
            return
        }
        self.hasEnded = true
        for target in self.targets.keys { self.watcher.existing(self.tree)?.audience.remove(self.id, from: target) }
        self.targets = [:]
        self.watcher.release(self.tree)
        self.watcher.remove(self)
        guard let parting = self.leaving.part(from: self.tree, done: { self.parted() }) else { return done() }
        self.partingWaiters = [done]
        self.watcher.partings.add(parting)
    }

    private func parted() {
        let waiters = self.partingWaiters ?? []
        self.partingWaiters = nil
        for done in waiters { done() }
    }

    /// Another connection takes its place.
    func replace(then done: @escaping @Sendable () -> Void) {
        let listener = self.listener
        self.end(then: done)
        listener?.replaced()
    }
}
