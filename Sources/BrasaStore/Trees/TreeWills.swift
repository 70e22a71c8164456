import BrasaTree
import Synchronization

/// What the sessions leave that are open. Bounded by what all of it takes; past that no session leaves more.
///
/// The writer's section notes steps, in their order and in short time. They are put together outside of it, once they are
/// durable (`settle`): so a checkpoint gets what there was at its own time. Guards: `settled` is locked before `state`.
final class TreeWills: Sendable {
    private struct State {
        /// What each takes, with the steps that are not settled.
        var bytes: [TreeWillID: Int] = [:]
        var bytesTotal = 0
        var steps = FirstInFirstOut<Step>()
    }

    private struct Step {
        let time: Int64
        let will: TreeWillID
        let tree: TreeHandle
        /// Nil: it ended.
        let changes: [TreeWillChange]?
        /// What it took before; nil: it began.
        let bytesBefore: Int?
    }

    private let state = Mutex(State())
    private let settled = Mutex<[TreeWillID: TreeWill]>([:])
    private let keptBytes = Atomic<Int>(0)
    private let bytesMax: Int

    init(bytesMax: Int) {
        self.bytesMax = bytesMax
    }

    var bytes: Int { self.keptBytes.load(ordering: .relaxed) }
    /// That were begun and have not ended, durable or not.
    var count: Int { self.state.withLock { $0.bytes.count } }
    /// Steps that are not put together yet. Counted for tests.
    var waitingCount: Int { self.state.withLock { $0.steps.count } }

    // MARK: The writer's section

    /// By how much memory grows.
    func growth(of step: TreeWillStep) -> Int { step.keptBytes - (step.will.map { self.bytes(of: $0) } ?? 0) }

    func bytes(of will: TreeWillID) -> Int { self.state.withLock { $0.bytes[will] ?? 0 } }

    func hasRoom(for growth: Int) -> Bool { growth <= 0 || self.bytes + growth <= self.bytesMax }

    func note(_ step: TreeWillStep, time: Int64) -> TreeWillID {
        let will = step.will ?? TreeWillID(time: time)
        self.note(step.changes, of: will, in: step.tree, bytes: step.keptBytes, time: time)
        return will
    }

    func noteEnd(of will: TreeWillID, in tree: TreeHandle, time: Int64) {
        self.note(nil, of: will, in: tree, bytes: 0, time: time)
    }

    private func note(
        _ changes: [TreeWillChange]?,
        of will: TreeWillID,
        in tree: TreeHandle,
        bytes: Int,
        time: Int64
    ) {
        self.state.withLock { state in
            let before = state.bytes[will]
            state.steps.append(Step(time: time, will: will, tree: tree, changes: changes, bytesBefore: before))
            state.bytes[will] = changes == nil ? nil : bytes
            state.bytesTotal += bytes - (before ?? 0)
            self.keptBytes.store(state.bytesTotal, ordering: .relaxed)
        }
    }

    /// Undoes the newest `note`, which is not durable.
    func takeBack() {
        self.state.withLock { state in
            guard let step = state.steps.last else { return }
            state.steps.removeLast(1)
            state.bytesTotal += (step.bytesBefore ?? 0) - (state.bytes[step.will] ?? 0)
            state.bytes[step.will] = step.bytesBefore
            self.keptBytes.store(state.bytesTotal, ordering: .relaxed)
        }
    }

    // MARK: Outside of it

    /// Puts durable steps together, a bounded number of them, which is more than one commit adds. Whoever is at it does it for
    /// others.
    func settle(through time: Int64) {
        _ = self.settled.withLockIfAvailable { self.settle(&$0, through: time, limit: Self.settledAtOnce) }
    }

    private static let settledAtOnce = 16

    private func settle(_ wills: inout [TreeWillID: TreeWill], through time: Int64, limit: Int) {
        for _ in 0..<limit {
            let next = self.state.withLock { state -> Step? in
                guard let oldest = state.steps.first, oldest.time <= time else { return nil }
                return state.steps.popFirst()
            }
            guard let next else { return }
            guard let changes = next.changes else {
                wills[next.will] = nil
                continue
            }
            for change in changes {
                wills[next.will, default: TreeWill(of: next.tree)].apply(change)
            }
        }
    }

    /// All at a time that is found out while nothing is settled, and up to which everything is durable, in the order in which
    /// they began.
    func all(at time: () -> Int64) -> (time: Int64, wills: [(id: TreeWillID, will: TreeWill)]) {
        self.settled.withLock { wills in
            let time = time()
            self.settle(&wills, through: time, limit: .max)
            return (time, wills.map { (id: $0.key, will: $0.value) }.sorted { $0.id < $1.id })
        }
    }

    // MARK: Recovery, by one thread

    /// A will as a checkpoint has it.
    func load(_ will: TreeWill, as id: TreeWillID) {
        self.settled.withLock { $0[id] = will }
        self.count(will, as: id)
    }

    /// False for a step of a session that is not there.
    func recover(_ changes: [TreeWillChange]?, of id: TreeWillID, in tree: TreeHandle, time: Int64) -> Bool {
        let (isThere, will) = self.settled.withLock { wills -> (Bool, TreeWill?) in
            let isThere = wills[id].map { $0.tree == tree } ?? (id.time == time && changes != nil)
            guard isThere, let changes else {
                if isThere { wills[id] = nil }
                return (isThere, nil)
            }
            // Out of the table meanwhile, so that nothing is copied.
            var will = wills.removeValue(forKey: id) ?? TreeWill(of: tree)
            for change in changes { will.apply(change) }
            wills[id] = will
            return (true, will)
        }
        if isThere { self.count(will, as: id) }
        return isThere
    }

    private func count(_ will: TreeWill?, as id: TreeWillID) {
        let bytes = will.map { TreeWill.keptBytes($0.queue, author: $0.author) }
        self.state.withLock { state in
            state.bytesTotal += (bytes ?? 0) - (state.bytes[id] ?? 0)
            state.bytes[id] = bytes
            self.keptBytes.store(state.bytesTotal, ordering: .relaxed)
        }
    }
}
