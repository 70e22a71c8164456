import BrasaDocuments
package import BrasaPlatform
package import BrasaStore
package import BrasaTransactions
import BrasaTree
import BrasaTreeEngine
package import BrasaTreeJudging
import Synchronization

/// Tells the sessions of one event loop what commits to trees change, in the order of the commits.
///
/// It stands at a time and takes the steps after it. Whoever falls behind loses steps and never the end: then each tree goes
/// to its newest version at once.
package final class TreeWatcher: @unchecked Sendable {
    // Sendable, because `wake` is all that other threads use; all else runs on the mailbox's thread.

    /// A tree with listeners, and the version that they were told of.
    final class Followed {
        var audience: TreeAudience
        var time: Timestamp

        init(_ version: (root: TreeNode, time: Timestamp)) {
            self.audience = TreeAudience(version.root)
            self.time = version.time
        }
    }

    let store: Store
    let transactions: TransactionManager
    let rules: TreeRuleBook
    package let mailbox: any Mailbox
    let writeSizes: TreeWriteSizes
    private let stepsMax: Int
    /// Whether there are listeners, and whether a turn was posted and has not begun.
    private let signal = Atomic<UInt8>(0)

    private static let isActive: UInt8 = 1
    private static let isPosted: UInt8 = 2

    // MARK: On the loop only

    /// All steps up to here were taken.
    private var position = Timestamp.earliest
    private var followed: [TreeHandle: Followed] = [:]
    private var sessions: [TreeListenerID: TreeSession] = [:]
    private var lastID: UInt64 = 0
    private var isAdvancing = false
    /// What sessions of this loop left.
    package private(set) lazy var partings = TreePartings(
        store: self.store,
        transactions: self.transactions,
        rules: self.rules,
        mailbox: self.mailbox,
        didWrite: { [weak self] in self?.advance() }
    )
    var listensToJudge = ListensToJudge()

    /// - Parameter stepsMax: more are passed over.
    package init(
        store: Store,
        transactions: TransactionManager,
        rules: TreeRuleBook = TreeRuleBook(),
        mailbox: any Mailbox,
        writeSizes: TreeWriteSizes = TreeWriteSizes(),
        stepsMax: Int = 4_096
    ) {
        self.store = store
        self.transactions = transactions
        self.rules = rules
        self.mailbox = mailbox
        self.writeSizes = writeSizes
        self.stepsMax = stepsMax
    }

    /// Commits became visible; on any thread.
    package func wake() {
        // Who begins to listen just now clears the signal before the watermark is read, and so sees them.
        let before = self.signal.bitwiseOr(Self.isPosted, ordering: .acquiringAndReleasing).oldValue
        if before == Self.isActive { self.mailbox.post { self.takeTurn() } }
    }

    /// A session with a tree; nil for what is no name. It is held until it ends.
    package func open(
        _ database: String,
        as identity: TreeIdentity,
        for listener: any TreeListener
    ) -> TreeSession? {
        guard let name = TreeNamespace(database) else { return nil }
        self.lastID += 1
        let session = TreeSession(TreeListenerID(self.lastID), self.store.tree(name), self, listener, identity)
        self.sessions[session.id] = session
        return session
    }

    /// To be called every second or so: what could not be written at the end of sessions is tried again, and listens are
    /// judged again.
    package func tick() {
        self.partings.retry()
        self.judgeListens()
    }

    var allSessions: some Sequence<TreeSession> { self.sessions.values }

    /// What rules take for now.
    var milliseconds: Int64 { self.store.presentTime.milliseconds }

    package var sessionCount: Int { self.sessions.count }

    /// Of all that windows are found by, how many children it keeps something of.
    var indexEntries: Int { self.followed.values.reduce(0) { $0 + $1.audience.indexEntries } }

    func remove(_ session: TreeSession) {
        self.sessions[session.id] = nil
    }

    // MARK: Following

    private func takeTurn() {
        self.signal.bitwiseAnd(~Self.isPosted, ordering: .acquiringAndReleasing)
        self.advance()
    }

    /// Takes the steps up to the watermark and tells them.
    func advance() {
        guard !self.isAdvancing, !self.followed.isEmpty else { return }
        let end = self.store.watermark
        guard end > self.position else { return }
        self.isAdvancing = true
        var told: [TreeListenerID: TreeSession] = [:]
        if let (steps, position) = self.steps(through: end) {
            for step in steps { self.take(step, &told) }
            self.position = position
        } else {
            self.position = end
            for (tree, followed) in self.followed { self.pass(tree, followed, &told) }
        }
        self.isAdvancing = false
        for session in told.values { session.listener?.flush() }
    }

    /// All that have to be taken, and up to where they go; nil when some are forgotten, or there are too many.
    private func steps(through end: Timestamp) -> ([TreeStep], through: Timestamp)? {
        var steps: [TreeStep] = []
        var position = self.position
        while position < end {
            let batch = self.store.treeSteps(after: position, limit: self.stepsMax + 1 - steps.count)
            guard let batch else { return nil }
            steps += batch.steps
            position = batch.through
            guard steps.count <= self.stepsMax else { return nil }
        }
        return (steps, position)
    }

    private func take(_ step: TreeStep, _ told: inout [TreeListenerID: TreeSession]) {
        // Who began to be followed late may be ahead.
        guard let followed = self.followed[step.tree], step.time > followed.time else { return }
        followed.time = step.time
        self.tell(followed.audience.advance(to: step.after, by: step.changes), &told)
    }

    private func pass(_ tree: TreeHandle, _ followed: Followed, _ told: inout [TreeListenerID: TreeSession]) {
        let (root, time) = self.store.root(of: tree)
        followed.time = time
        self.tell(followed.audience.pass(to: root), &told)
    }

    private func tell(_ notices: [TreeNotice], _ told: inout [TreeListenerID: TreeSession]) {
        for notice in notices {
            let telling = TreeTelling(notice)
            for id in notice.listeners {
                // One that was told before may have ended this one.
                guard let session = self.sessions[id] else { continue }
                told[id] = session
                if session.mayBeTold(notice.target) { session.listener?.told(telling) }
            }
        }
    }

    /// The tree as it is at the watermark, with its listeners.
    func follow(_ tree: TreeHandle) -> Followed {
        if self.followed.isEmpty {
            _ = self.signal.exchange(Self.isActive, ordering: .acquiringAndReleasing)
            self.position = self.store.watermark
        } else {
            self.advance()
        }
        if let followed = self.followed[tree] { return followed }
        let followed = Followed(self.store.root(of: tree))
        self.followed[tree] = followed
        return followed
    }

    func existing(_ tree: TreeHandle) -> Followed? { self.followed[tree] }

    /// Ends the following of a tree that nobody listens to.
    func release(_ tree: TreeHandle) {
        guard let followed = self.followed[tree], followed.audience.listenerCount == 0 else { return }
        self.followed[tree] = nil
        if self.followed.isEmpty {
            self.signal.bitwiseAnd(~Self.isActive, ordering: .acquiringAndReleasing)
        }
    }
}
