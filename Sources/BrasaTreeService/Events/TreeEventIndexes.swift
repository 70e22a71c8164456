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
        /// Those that are there are to end.
        var isGivenUp = false
        /// What it counted for when it was begun, or less since, when another one was: what is more has grown.
        var granted: Int?

        /// What it counts for at least, however few children there are.
        static let entriesMin = 100

        /// Of keys nothing is kept.
        func entries(by key: Key) -> Int {
            guard key.order != .key, !self.isGivenUp else { return 0 }
            return max(Self.entriesMin, self.index.map { $0.hasEntries ? $0.count : 0 } ?? 0)
        }
    }

    private var kept: [Key: Kept] = [:]

    /// One more needs it.
    mutating func join(_ key: Key) {
        self.kept[key, default: Kept()].courses += 1
        if self.kept[key]?.isGivenUp == true {
            self.kept[key]?.isGivenUp = false
            self.kept[key]?.granted = nil
        }
    }

    mutating func leave(_ key: Key) {
        guard var kept = self.kept[key] else { return }
        kept.courses -= 1
        self.kept[key] = kept.courses == 0 ? nil : kept
    }

    /// Of a version of the node. It is kept as long as somebody needs it.
    mutating func index(_ key: Key, of node: TreeNode) -> TreeIndex {
        let index = self.kept[key]?.index?.updated(to: node) ?? TreeIndex(key.order, of: node)
        guard var kept = self.kept[key], !kept.isGivenUp else { return index }
        kept.index = index
        if kept.granted == nil { kept.granted = kept.entries(by: key) }
        self.kept[key] = kept
        return index
    }

    /// Whether there is room for what windows are found by, of so many children.
    mutating func mayKeep(_ key: Key, children: Int, entriesMax: Int) -> Bool {
        guard key.order != .key, self.kept[key]?.isGivenUp ?? true else { return true }
        guard self.entries + max(Kept.entriesMin, children) <= entriesMax else { return false }
        // The room that others do not use any more is given to this one.
        var index = self.kept.startIndex
        while index != self.kept.endIndex {
            let (key, kept) = self.kept[index]
            self.kept.values[index].granted = kept.granted.map { min($0, kept.entries(by: key)) }
            self.kept.formIndex(after: &index)
        }
        return true
    }

    /// Of all of them, how many children they keep something of.
    /// Complexity: O(n) for n indexes.
    private var entries: Int { self.kept.reduce(0) { $0 + $1.value.entries(by: $1.key) } }

    /// Nodes may have grown since they were begun: those that have grown most go, until there are no more entries than that.
    /// - Returns: those that have gone.
    mutating func giveUp(above entriesMax: Int) -> [Key: TreeIndex?] {
        var excess = self.entries - entriesMax
        var gone: [Key: TreeIndex?] = [:]
        guard excess > 0 else { return gone }
        let sizes = self.kept.map { key, kept in
            let entries = kept.entries(by: key)
            return (key: key, entries: entries, growth: entries - (kept.granted ?? entries))
        }
        for (key, entries, _) in sizes.sorted(by: { ($0.growth, $0.entries) > ($1.growth, $1.entries) }) {
            guard excess > 0, entries > 0 else { break }
            excess -= entries
            gone.updateValue(self.kept[key]?.index.take(), forKey: key)
            self.kept[key]?.isGivenUp = true
        }
        return gone
    }
}
