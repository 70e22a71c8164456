package import BrasaDocuments
package import BrasaTree
import Synchronization

/// What one commit did to a tree.
package struct TreeStep: Sendable {
    package let time: Timestamp
    package let tree: TreeHandle
    package let before: TreeNode
    package let after: TreeNode
    /// One for each write of the commit, in their order.
    package let changes: [TreeChange]
    /// About what it keeps in memory that the newest version does not.
    let bytes: Int

    init(_ changes: [TreeChange], of tree: TreeHandle, from before: TreeNode, to after: TreeNode, time: Int64) {
        self.time = Timestamp(microseconds: time)
        self.tree = tree
        self.before = before
        self.after = after
        self.changes = changes
        var (written, copied, own) = (0, 0, Self.ownBytes)
        for change in changes {
            for placement in change.placements {
                let path = placement.location.path
                written += placement.node.bytes
                copied += before.pathBytes(to: path)
                own += path.keys.reduce(Self.placementBytes) { $0 + Self.keyBytes + $1.utf8.count }
            }
        }
        // What came and is not there has gone, whatever went with it: other nodes, and what one write of the commit made and
        // the next replaced. Of the pages on the paths, which both versions have each for itself, one is counted in each.
        let most = before.bytes + written
        self.bytes = own + min(most, max(0, most - after.bytes) + copied)
    }

    private static let ownBytes = 512
    private static let placementBytes = 96
    private static let keyBytes = 64
}

/// Steps that nobody asks for any more, and the versions before them. Large trees take long to free: that is done where
/// nobody waits.
private struct ForgottenSteps: Sendable {
    let steps: [TreeStep]
    var roots: [TreeNode] = []
}

/// The latest steps of all trees in the order of their commits, durable or not: for those who follow the trees, and for
/// reads at times that are not the newest. Bounded; the oldest go first, and those that are not durable stay.
final class TreeSteps: Sendable {
    fileprivate struct State {
        var steps = FirstInFirstOut<TreeStep>()
        var bytes = 0
        /// All steps after this time are there.
        var completeAfter = Int64.min
        /// Steps after this are not forgotten.
        var keptAfter = Int64.max
    }

    private let state = Mutex(State())
    /// Not freed yet.
    private let forgotten = Mutex<[ForgottenSteps]>([])
    /// Asked by every commit where there is a bound on memory.
    private let keptBytes = Atomic<Int>(0)
    private let countMax: Int
    private let bytesMax: Int

    init(countMax: Int, bytesMax: Int) {
        self.countMax = countMax
        self.bytesMax = bytesMax
    }

    var count: Int { self.state.withLock { $0.steps.count } }
    var bytes: Int { self.keptBytes.load(ordering: .relaxed) }
    var completeAfter: Int64 { self.state.withLock { $0.completeAfter } }

    /// Nothing is known of what was up to this time.
    func begin(after time: Int64) {
        self.state.withLock { $0.completeAfter = max($0.completeAfter, time) }
    }

    /// `horizon`: up to there all is durable.
    func append(_ step: TreeStep, horizon: Int64) {
        let forgotten = self.state.withLock { state in
            state.steps.append(step)
            state.bytes += step.bytes
            defer { self.keptBytes.store(state.bytes, ordering: .relaxed) }
            return state.forget(through: horizon, limit: Self.forgottenAtOnce) {
                $0.steps.count > self.countMax || $0.bytes > self.bytesMax
            }
        }
        self.settle(forgotten)
    }

    /// Undoes `append`.
    func removeNewest() {
        self.state.withLock { state in
            state.bytes -= state.steps.last?.bytes ?? 0
            state.steps.removeLast(1)
            self.keptBytes.store(state.bytes, ordering: .relaxed)
        }
    }

    /// Forgets steps up to a time, a bounded number of them; whether there are more.
    func forget(through time: Int64) -> Bool {
        let forgotten = self.state.withLock { state in
            defer { self.keptBytes.store(state.bytes, ordering: .relaxed) }
            return state.forget(through: time, limit: Self.forgottenAtOnce) { _ in true }
        }
        self.settle(forgotten)
        return forgotten.count == Self.forgottenAtOnce
    }

    /// Also what is handed out at once: who takes the steps, and who forgets them, holds the lock that commits need.
    static let forgottenAtOnce = 256

    /// To be called where nobody waits, by whoever may have had something forgotten.
    func freeForgotten() {
        let forgotten = self.forgotten.withLock { forgotten in
            defer { forgotten = [] }
            return forgotten
        }
        withExtendedLifetime(forgotten) {}
    }

    /// Steps that are forgotten and not freed yet. Counted for tests.
    var unfreedCount: Int { self.forgotten.withLock { $0.reduce(0) { $0 + $1.steps.count } } }

    /// Keeps what is not forgotten yet, for those who need the trees of one moment after `time`.
    func keep(after time: Int64) { self.state.withLock { $0.keptAfter = time } }
    func keepNoMore() { self.state.withLock { $0.keptAfter = .max } }

    /// Trees need their versions no longer than there are steps to them.
    private func settle(_ forgotten: [TreeStep]) {
        guard !forgotten.isEmpty else { return }
        var remains = ForgottenSteps(steps: forgotten)
        for step in forgotten { remains.roots += step.tree.forget(before: step.time.microseconds) }
        self.forgotten.withLock { $0.append(remains) }
    }

    /// The first steps after `time` and at or before `end`; nil when some are forgotten.
    func steps(after time: Int64, through end: Int64, limit: Int) -> TreeStepBatch? {
        self.state.withLock { state in
            guard time >= state.completeAfter else { return nil }
            let first = state.steps.firstIndex(notBefore: { $0.time.microseconds <= time })
            let last = max(first, state.steps.firstIndex(notBefore: { $0.time.microseconds <= end }))
            let steps = (first..<min(last, first + min(limit, Self.forgottenAtOnce))).map { state.steps[$0] }
            let hasMore = steps.count < last - first
            let through = hasMore ? steps.last?.time.microseconds ?? time : max(time, end)
            return TreeStepBatch(steps: steps, through: Timestamp(microseconds: through), hasMore: hasMore)
        }
    }
}

/// Some of the steps that follow one another.
package struct TreeStepBatch: Sendable {
    package let steps: [TreeStep]
    /// There are none but these up to then.
    package let through: Timestamp
    /// There are some after them that are durable, too.
    package let hasMore: Bool
}

extension TreeSteps.State {
    fileprivate mutating func forget(
        through time: Int64,
        limit: Int,
        while isTooMuch: (Self) -> Bool
    ) -> [TreeStep] {
        var forgotten: [TreeStep] = []
        let horizon = min(time, self.keptAfter)
        while forgotten.count < limit, let oldest = self.steps.first, oldest.time.microseconds <= horizon,
            isTooMuch(self)
        {
            forgotten.append(oldest)
            self.steps.popFirst()
            self.bytes -= oldest.bytes
            self.completeAfter = oldest.time.microseconds
        }
        return forgotten
    }
}
