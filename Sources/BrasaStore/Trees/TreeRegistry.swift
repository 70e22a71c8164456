import BrasaDocuments
import BrasaTree
import Synchronization

/// The trees that have nodes or that somebody holds. Any name is a tree's, so names that nothing was ever written to must
/// not gather: when their number passes a bound that grows with what is in use, the ones that nobody holds are dropped.
/// Knows no log: recovery fills it and commits change it the same way.
final class TreeRegistry: Sendable {
    private struct State {
        var handles: [TreeNamespace: TreeHandle] = [:]
        var sweepAt = TreeRegistry.sweepAtLeast
    }

    private static let sweepAtLeast = 1_024

    private let state = Mutex(State())
    let steps: TreeSteps
    let wills: TreeWills
    /// What the newest versions take, about.
    private let keptBytes = Atomic<Int>(0)

    init(configuration: Store.Configuration) {
        self.steps = TreeSteps(
            countMax: configuration.recentTreeStepsMax,
            bytesMax: configuration.recentTreeBytesMax
        )
        self.wills = TreeWills(bytesMax: configuration.treeWillBytesMax)
    }

    var bytes: Int { self.keptBytes.load(ordering: .relaxed) + self.steps.bytes + self.wills.bytes }

    func handle(_ name: TreeNamespace) -> TreeHandle {
        self.state.withLock { state in
            if let handle = state.handles[name] { return handle }
            if state.handles.count >= state.sweepAt { Self.sweep(&state) }
            // Asked for under the lock: who read it before might meet a handle that was dropped since, with steps that were
            // forgotten after.
            let handle = TreeHandle(name: name, knownSince: self.steps.completeAfter)
            state.handles[name] = handle
            return handle
        }
    }

    /// Nil when there is none in memory, and so nothing in it.
    func existing(_ name: TreeNamespace) -> TreeHandle? { self.state.withLock { $0.handles[name] } }

    /// In the order of their names.
    var all: [TreeHandle] {
        let handles = self.state.withLock { Array($0.handles.values) }
        return handles.sorted { $0.name < $1.name }
    }

    /// Steps keep their trees, so that one that is dropped has nothing that anybody could ask for.
    private static func sweep(_ state: inout State) {
        for name in Array(state.handles.keys) {
            guard var handle = state.handles.removeValue(forKey: name) else { continue }
            if !isKnownUniquelyReferenced(&handle) || !handle.isEmpty { state.handles[name] = handle }
        }
        state.sweepAt = max(Self.sweepAtLeast, state.handles.count * 2)
    }

    /// Adds a version that only readers at its time or later see. `horizon`: up to there all is durable.
    func add(_ step: TreeStep, horizon: Int64) {
        self.keptBytes.wrappingAdd(step.after.keptBytes - step.before.keptBytes, ordering: .relaxed)
        step.tree.add(step.after, time: step.time.microseconds)
        self.steps.append(step, horizon: horizon)
    }

    /// Undoes `add`. Nobody has seen the version: its time is above the watermark.
    func takeBack(_ step: TreeStep) {
        self.steps.removeNewest()
        step.tree.removeNewest()
        self.keptBytes.wrappingSubtract(step.after.keptBytes - step.before.keptBytes, ordering: .relaxed)
    }

    /// A tree as a checkpoint has it, which has no history.
    func load(_ root: TreeNode, into tree: TreeHandle, time: Int64) {
        self.keptBytes.wrappingAdd(root.keptBytes, ordering: .relaxed)
        tree.add(root, time: time)
        _ = tree.forget(before: time)
    }
}

extension TreeNode {
    /// As the root of a tree: with what the store has for it.
    var keptBytes: Int { self.isAbsent ? 0 : 512 + self.bytes }
}
