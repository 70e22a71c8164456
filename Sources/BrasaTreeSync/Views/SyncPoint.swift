import BrasaTree

/// The views of one path, in the order in which they came.
struct SyncPoint: Sendable {
    var views: [TreeView] = []

    /// Whether one of them wants everything there is.
    var isComplete: Bool { self.views.contains { $0.query.isComplete } }

    /// Whether one of them may be sent everything without a tag: as a listen to everything, or for want of an index.
    var mayBeFedPlainly: Bool { self.views.contains { $0.query.isComplete || !($0.cache?.isFed ?? false) } }

    func index(of query: TreeQuery) -> Int? { self.views.firstIndex { $0.query == query } }

    /// What has to be asked of the server for them: everything, or each window.
    func targets(at path: TreePath) -> [TreeTarget] {
        self.isComplete ? [TreeTarget(path)] : self.views.map { TreeTarget(path, $0.query) }
    }
}

extension TreeView {
    func event(_ kind: TreeSyncEvent.Kind) -> TreeSyncEvent {
        TreeSyncEvent(path: self.path, query: self.query, listeners: self.listeners, kind: kind)
    }
}
