import BrasaTree

/// What a step of the tree leads to.
package struct SyncEffects: Sendable {
    /// In the order in which listeners are told.
    package var events: [TreeSyncEvent] = []
    /// In the order in which the server is told.
    package var listens: [ListenChange] = []

    package static func += (left: inout SyncEffects, right: SyncEffects) {
        left.events += right.events
        left.listens += right.listens
    }
}

/// A client's copy of a database: what the server has said, the writes that it has not answered, and what both together
/// are to each listener. Each method is one step, which gives what follows from it; nothing else happens.
package struct SyncTree: Sendable {
    var points = PathTree<SyncPoint>()
    /// What plain listens have brought. Queries that show less have caches of their own, in their views.
    var global = OverlaidTree()
    var writes = WriteQueue()
    var lastWrite = -1
    var listens = ListenTable()
    var listeners: [SyncListenerID: ViewPlace] = [:]
    var lastListener = 0

    /// Nil when nothing is kept over restarts.
    var notes: StorageNotes?

    /// - Parameter isStored: whether what is kept over restarts is told.
    package init(isStored: Bool = false) {
        if isStored { self.notes = StorageNotes() }
    }

    /// Queries that differ in their order alone are one listen, but views of their own.
    struct ViewPlace: Hashable, Sendable {
        let path: TreePath
        let query: TreeQuery
    }

    /// Brings the views that places concern to what is known. What a body changes in a view's own cache before, it says.
    mutating func publish(
        _ places: [TreePath],
        isRevert: Bool = false,
        _ body: (inout TreeView, [TreePath]) -> [TreePath] = { _, _ in [] }
    ) -> [TreeSyncEvent] {
        var events: [TreeSyncEvent] = []
        let shown = self.global.shown
        // Not `self`, which is changed meanwhile.
        var touched: Set<TreePath> = []
        let isStored = self.notes != nil
        self.points.updateTouched(by: places.map { $0.keys[...] }) { path, below, point in
            if isStored { touched.insert(path) }
            for index in point.views.indices {
                let touched = below.map { path.appending(TreePath(Array($0))) }
                let others = body(&point.views[index], touched).map { path.relative($0)?.keys[...] ?? [] }
                let kinds = point.views[index].update(shown, at: below + others, isRevert: isRevert)
                events += kinds.map { point.views[index].event($0) }
            }
        }
        self.notes?.touched.formUnion(touched)
        return events.filter { !$0.listeners.isEmpty }
    }
}
