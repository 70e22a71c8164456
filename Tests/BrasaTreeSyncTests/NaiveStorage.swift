import BrasaTree

@testable import BrasaTreeSync

/// What a disk would have, in memory.
struct NaiveStorage {
    private struct Entry {
        var node = TreeNode.absent
        var use: Int
        var known: Int
    }

    private var entries: [TreeTarget: Entry] = [:]
    private var open: Set<TreeTarget> = []
    private var lastUse = 0

    mutating func apply(_ changes: [StoredChange]) {
        for change in changes {
            switch change {
            case .queued, .unqueued: break
            case .closed(let target): self.open.remove(target)
            case .used(let target): self.use(target)
            case .confirmed(let target):
                self.use(target)
                self.entries[target]?.known = self.lastUse
            case .forgotten(let target):
                self.entries[target] = nil
                self.open.remove(target)
            case .set(let target, let placements):
                self.use(target)
                self.entries[target]?.known = self.lastUse
                guard let entry = self.entries[target] else { continue }
                let root = TreeNode.absent.setting(entry.node, at: target.path)
                let change = TreeChange(path: target.path, isUpdate: true, placements: placements)
                self.entries[target]?.node = change.applied(to: root)[target.path]
            }
        }
    }

    private mutating func use(_ target: TreeTarget) {
        self.lastUse += 1
        self.entries[target, default: Entry(use: 0, known: self.lastUse)].use = self.lastUse
        self.open.insert(target)
    }

    /// All are closed with the process.
    mutating func restart() { self.open = [] }

    /// Of one that is listened to.
    func openNode(of target: TreeTarget) -> TreeNode? { self.open.contains(target) ? self.entries[target]?.node : nil }

    func node(of target: TreeTarget) -> StoredNode? {
        let fitting = self.entries.filter { other, _ in
            other == target || other.query == nil && other.path.contains(target.path)
        }
        guard let (other, entry) = fitting.max(by: { $0.value.known < $1.value.known }) else { return nil }
        let node = entry.node[other.path.relative(target.path) ?? .root]
        // What was known later of places below counts more.
        let later = self.entries.filter { lower, known in
            lower.query == nil && lower.path != target.path && target.path.contains(lower.path)
                && known.known > entry.known
        }
        let whole = later.sorted { $0.value.known < $1.value.known }.reduce(node) { node, lower in
            node.setting(lower.value.node, at: target.path.relative(lower.key.path) ?? .root)
        }
        return StoredNode(whole, own: other == target ? node : nil)
    }
}
