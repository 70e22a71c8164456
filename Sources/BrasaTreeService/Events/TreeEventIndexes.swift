import BrasaStore
import BrasaTree

/// What the windows of one loop's event streams are found by: one index for each node and order, of the version that was
/// asked for last. Equal orders share it, whatever else their queries say.
struct TreeEventIndexes: Sendable {
    struct Key: Hashable {
        let tree: TreeHandle
        let path: TreePath
        let order: TreeQuery.Order

        init(_ order: TreeQuery.Order, _ subject: TreeEventSubject) {
            self.tree = subject.tree
            self.path = subject.target.path
            self.order = order
        }
    }

    private struct Kept {
        var index: TreeIndex?
        var courses = 0
    }

    private var kept: [Key: Kept] = [:]

    /// One more needs it.
    mutating func join(_ key: Key) {
        self.kept[key, default: Kept()].courses += 1
    }

    mutating func leave(_ key: Key) {
        guard var kept = self.kept[key] else { return }
        kept.courses -= 1
        self.kept[key] = kept.courses == 0 ? nil : kept
    }

    /// Of a version of the node. It is kept as long as somebody needs it.
    mutating func index(_ key: Key, of node: TreeNode) -> TreeIndex {
        let index = self.kept[key]?.index?.updated(to: node) ?? TreeIndex(key.order, of: node)
        self.kept[key]?.index = index
        return index
    }

    func has(_ key: Key) -> Bool { self.kept[key] != nil }

    /// Of all of them, how many children they keep something of.
    /// Complexity: O(n) for n indexes.
    var entries: Int {
        self.kept.values.reduce(0) { sum, kept in
            sum + (kept.index.map { $0.hasEntries ? $0.count : 0 } ?? 0)
        }
    }
}
