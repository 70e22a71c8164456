import BrasaTree
import Synchronization

/// One tree of the Realtime Database: its name, interned, and its versions. It stands for its name, and two of one name are
/// equal. Of one store there are never two at once: whoever holds one keeps it in the store, and an empty one goes when
/// nobody does, before another is made for its name.
///
/// A version is a value that shares with the others what is the same, so that taking one costs nothing and no reader holds
/// a lock while it looks around.
package final class TreeHandle: Sendable {
    package let name: TreeNamespace
    /// Computed once, since trees are looked up all the time.
    private let nameHash: Int
    private let versions: Mutex<TreeVersions>

    init(name: TreeNamespace, knownSince time: Int64) {
        self.name = name
        self.nameHash = name.hashValue
        self.versions = Mutex(TreeVersions(knownSince: time))
    }

    /// The latest one, durable or not, and its time.
    var newest: (root: TreeNode, time: Int64) { self.versions.withLock { ($0.newest, $0.newestTime) } }

    /// What readers at `time` see; nil when that is no longer known.
    func root(at time: Int64) -> TreeNode? { self.versions.withLock { $0.root(at: time) } }

    /// What readers at the watermark see; it is asked for when nothing can be forgotten before it is used.
    func root(atWatermarkOf clock: CommitClock) -> (root: TreeNode, time: Int64) {
        self.versions.withLock { versions in
            // What is forgotten was below the watermark of an earlier moment, so the base is not above this one's.
            let watermark = clock.watermark
            return (versions.settledRoot(at: watermark), watermark)
        }
    }

    func add(_ root: TreeNode, time: Int64) { self.versions.withLock { $0.add(root, time: time) } }

    /// Undoes `add`.
    func removeNewest() { self.versions.withLock { $0.removeNewest() } }

    /// Nobody asks for earlier versions any more than the one of this time. Gives them: what is large takes long to free.
    func forget(before time: Int64) -> [TreeNode] { self.versions.withLock { $0.forget(before: time) } }

    var isEmpty: Bool { self.versions.withLock { $0.newest.isAbsent && $0.isSettled } }
}

extension TreeHandle: Hashable {
    /// Identity is a short cut: it spares looking at names.
    package static func == (left: TreeHandle, right: TreeHandle) -> Bool {
        left === right || left.nameHash == right.nameHash && left.name == right.name
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(self.nameHash)
    }
}

/// The versions of one tree that may still be asked for.
private struct TreeVersions {
    /// Readers see it from `baseTime` on, until the first of the later ones.
    private var base = TreeNode.absent
    private var baseTime: Int64
    private var later = FirstInFirstOut<(time: Int64, root: TreeNode)>()

    init(knownSince time: Int64) {
        self.baseTime = time
    }

    var newest: TreeNode { self.later.last?.root ?? self.base }
    var newestTime: Int64 { self.later.last?.time ?? self.baseTime }
    var isSettled: Bool { self.later.isEmpty }

    func root(at time: Int64) -> TreeNode? { time >= self.baseTime ? self.settledRoot(at: time) : nil }

    /// Of a time that is not before the base's.
    func settledRoot(at time: Int64) -> TreeNode {
        let index = self.later.firstIndex(notBefore: { $0.time <= time })
        return index == 0 ? self.base : self.later[index - 1].root
    }

    mutating func add(_ root: TreeNode, time: Int64) { self.later.append((time, root)) }
    mutating func removeNewest() { self.later.removeLast(1) }

    mutating func forget(before time: Int64) -> [TreeNode] {
        var forgotten: [TreeNode] = []
        while let next = self.later.first, next.time <= time {
            forgotten.append(self.base)
            (self.base, self.baseTime) = (next.root, next.time)
            self.later.popFirst()
        }
        return forgotten
    }
}
