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
        self.bytes = changes.reduce(Self.ownBytes) { sum, change in
            change.placements.reduce(sum) { sum, placement in
                let path = placement.location.path
                let replaced = placement.location.isPriority ? 0 : before[path].bytes
                return sum + replaced + Self.pageBytes * (path.keys.count + 1)
            }
        }
    }

    private static let ownBytes = 512
    /// The pages that a write makes anew at each level of its path.
    private static let pageBytes = 1_024
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
            return state.forget(through: horizon) { $0.steps.count > self.countMax || $0.bytes > self.bytesMax }
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
            let least = state.steps.count - Self.forgottenAtOnce
            defer { self.keptBytes.store(state.bytes, ordering: .relaxed) }
            return state.forget(through: time) { $0.steps.count > least }
        }
        self.settle(forgotten)
        return forgotten.count == Self.forgottenAtOnce
    }

    private static let forgottenAtOnce = 256

    /// Keeps what is not forgotten yet, for those who need the trees of one moment after `time`.
    func keep(after time: Int64) { self.state.withLock { $0.keptAfter = time } }
    func keepNoMore() { self.state.withLock { $0.keptAfter = .max } }

    /// Trees need their versions no longer than there are steps to them.
    private func settle(_ forgotten: [TreeStep]) {
        for step in forgotten { step.tree.forget(before: step.time.microseconds) }
    }

    /// Up to `limit` steps after `time` and at or before `end`; nil when some are forgotten.
    func steps(after time: Int64, through end: Int64, limit: Int) -> [TreeStep]? {
        self.state.withLock { state in
            guard time >= state.completeAfter else { return nil }
            let first = state.steps.firstIndex(notBefore: { $0.time.microseconds <= time })
            let last = state.steps.firstIndex(notBefore: { $0.time.microseconds <= end })
            return (first..<max(first, min(last, first + min(limit, state.steps.count)))).map { state.steps[$0] }
        }
    }
}

extension TreeSteps.State {
    fileprivate mutating func forget(through time: Int64, while isTooMuch: (Self) -> Bool) -> [TreeStep] {
        var forgotten: [TreeStep] = []
        let horizon = min(time, self.keptAfter)
        while let oldest = self.steps.first, oldest.time.microseconds <= horizon, isTooMuch(self) {
            forgotten.append(oldest)
            self.steps.popFirst()
            self.bytes -= oldest.bytes
            self.completeAfter = oldest.time.microseconds
        }
        return forgotten
    }
}
