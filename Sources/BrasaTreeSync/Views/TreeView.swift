import BrasaTree

/// What the listeners of one query have been told, and where that comes from.
struct TreeView: Sendable {
    private enum Source {
        /// The node is known whole, by the server or by a write.
        case whole
        /// The query's own listen.
        case window
        /// Some children are known, by other listens or by writes.
        case children
    }

    let path: TreePath
    let query: TreeQuery
    var listeners: [SyncListenerID] = []
    /// Listened to whether anybody listens or not.
    var isKept = false
    /// What is known of the query's window: what its own listen has brought, or what was known otherwise when that began or a
    /// listen above went. Nil for a query of everything, and when none of that was. Not looked at while all of the node is known.
    var cache: FilteredCache?
    private var window: TreeWindow
    private var isComplete = false
    private var source = Source.children

    init(_ query: TreeQuery, at path: TreePath) {
        (self.path, self.query) = (path, query)
        self.window = TreeWindow(query, of: .absent)
    }

    var isUnused: Bool { self.listeners.isEmpty && !self.isKept }

    /// What it shows, once all of that is known.
    var node: TreeNode? { self.isComplete ? self.window.node : nil }

    /// What a new listener is told.
    var initialEvents: [TreeSyncEvent.Kind] {
        self.window.events.map { .child($0) } + (self.isComplete ? [.value(self.window.node)] : [])
    }

    /// Brings it to what is known, before anybody was told anything.
    mutating func begin(_ shown: PartialTree) {
        let now = self.current(shown, at: [[]], isRevert: true)
        self.window = self.window.updated(to: now.node)
        (self.isComplete, self.source) = (now.isComplete, now.source)
    }

    /// Brings it to what is known now. The places are from its path.
    mutating func update(
        _ shown: PartialTree,
        at places: [ArraySlice<TreeKey>],
        isRevert: Bool = false
    ) -> [TreeSyncEvent.Kind] {
        let now = self.current(shown, at: places, isRevert: isRevert)
        return self.show(now.node, isComplete: now.isComplete, now.source)
    }

    /// What is known now, and where that comes from.
    /// What is not known any more stays as it was told, since nothing better is known; what was a refused write's goes.
    private func current(
        _ shown: PartialTree,
        at places: [ArraySlice<TreeKey>],
        isRevert: Bool
    ) -> (node: TreeNode, isComplete: Bool, source: Source) {
        if let node = shown.node(at: self.path) { return (node, isComplete: true, source: .whole) }
        if let cache, cache.isComplete {
            let places = self.source == .window ? places : [[]]
            let node = self.node(cache.tree.shown, at: places, keepsUnknown: false)
            return (node, isComplete: true, source: .window)
        }
        let node = self.node(shown, at: places, keepsUnknown: !isRevert)
        return (node, isComplete: self.isComplete && !isRevert, source: .children)
    }

    /// What was shown, with what is known at some places in its stead.
    private func node(_ known: PartialTree, at places: [ArraySlice<TreeKey>], keepsUnknown: Bool) -> TreeNode {
        var node = self.window.index.node
        if places.contains(where: \.isEmpty) {
            guard keepsUnknown else { return known.knownChildren(at: self.path) }
            for child in known.childrenKnownAlone(at: self.path) { node = node.setting(child.node, for: child.key) }
            return node
        }
        for key in places.compactMap(\.first) {
            if let child = known.node(at: self.path.appending(key)) {
                node = node.setting(child, for: key)
            } else if !keepsUnknown {
                node = node.setting(.absent, for: key)
            }
        }
        return node
    }

    private mutating func show(_ node: TreeNode, isComplete: Bool, _ source: Source) -> [TreeSyncEvent.Kind] {
        let (before, wasComplete) = (self.window, self.isComplete)
        self.window = before.updated(to: node)
        (self.isComplete, self.source) = (isComplete, source)
        // Where nothing was shown, there is nothing to compare with.
        let children = before.ranks.isEmpty ? self.window.events : WindowChange(from: before, to: self.window).events
        var events = children.map(TreeSyncEvent.Kind.child)
        if isComplete, !wasComplete || !children.isEmpty || self.isOtherwiseChanged(from: before) {
            events.append(.value(self.window.node))
        }
        return events
    }

    /// A query of everything shows a leaf's value and the node's priority, too.
    private func isOtherwiseChanged(from before: TreeWindow) -> Bool {
        guard self.query.isComplete else { return false }
        let (old, new) = (before.index.node, self.window.index.node)
        return old.scalar != new.scalar || old.priority != new.priority
    }
}
