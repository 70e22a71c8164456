internal import BrasaSync

/// What can be listened to: a document, or a query's results.
protocol Listenable: Sendable {
    associatedtype Snapshot: Sendable

    var firestore: Firestore { get }
    var syncQuery: Result<SyncQuery, SyncError> { get }
    func snapshot(_ view: ViewSnapshot) -> Snapshot
}

extension Listenable {
    func listen(
        _ options: SnapshotListenOptions,
        _ listener: @escaping (Snapshot?, (any Error)?) -> Void
    ) -> any ListenerRegistration {
        let core = trapping { () throws(UsageError) in try self.firestore.core() }
        let closure = ClosureListener(queue: core.queue) { event in
            switch event {
            case .success(let view): listener(self.snapshot(view), nil)
            case .failure(let error): listener(nil, error.nsError)
            }
        }
        return core.listen(self.syncQuery, options, post: { closure.post($0) }, removed: { closure.remove() })
    }
}
