/// How the window of a query differs from that of an earlier version: the children in it that changed, those that came
/// and those that left, be it by their own change or because others pushed them out or made room. A node that is a leaf
/// has no children: what a leaf was or becomes is not seen here.
package struct WindowChange: Sendable {
    package struct Child: Sendable {
        package let key: TreeKey
        /// Absent for a child that was not in the window.
        package let old: TreeNode
        /// Absent for a child that is not in the window any more.
        package let new: TreeNode
    }

    package let old: TreeWindow
    package let new: TreeWindow
    /// In key order.
    package let children: [Child]

    /// Complexity: O(changed children · log n) besides finding those; the window is not walked.
    package init(from old: TreeWindow, to new: TreeWindow) {
        self.old = old
        self.new = new
        var touched: [TreeKey: Child] = [:]
        for difference in ChildDifference(old.index.node, new.index.node) {
            let before = Self.shown(difference.key, difference.old, in: old)
            let after = Self.shown(difference.key, difference.new, in: new)
            touched[difference.key] = Child(key: difference.key, old: before, new: after)
        }
        if new.query.limit != nil {
            // A child that did not change can come or leave only by way of an edge.
            for key in Self.displaced(old, new, touched) {
                touched[key] = Child(key: key, old: old.index.node.child(key), new: .absent)
            }
            for key in Self.displaced(new, old, touched) {
                touched[key] = Child(key: key, old: .absent, new: new.index.node.child(key))
            }
        }
        self.children = touched.values.filter { $0.old != $0.new }.sorted { $0.key < $1.key }
    }

    package var isEmpty: Bool { self.children.isEmpty }

    private static func shown(_ key: TreeKey, _ child: TreeNode, in window: TreeWindow) -> TreeNode {
        child.isAbsent || !window.contains(window.index.entry(key, child)) ? .absent : child
    }

    /// The untouched children of one window that are not in the other: from either edge inwards, up to the first that is.
    private static func displaced(_ window: TreeWindow, _ other: TreeWindow, _ touched: [TreeKey: Child]) -> [TreeKey] {
        var keys: [TreeKey] = []
        var first = window.ranks.lowerBound
        while first < window.ranks.upperBound, let entry = window.index.entry(at: first) {
            if touched[entry.key] == nil {
                if other.contains(entry) { break }
                keys.append(entry.key)
            }
            first += 1
        }
        var last = window.ranks.upperBound - 1
        while last > first, let entry = window.index.entry(at: last) {
            if touched[entry.key] == nil {
                if other.contains(entry) { break }
                keys.append(entry.key)
            }
            last -= 1
        }
        return keys
    }
}
