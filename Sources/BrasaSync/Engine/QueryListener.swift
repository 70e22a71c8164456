/// Decides what one listener sees of a view.
final class QueryListener {
    let query: SyncQuery
    let options: ListenOptions
    private let handler: (Result<ViewSnapshot, SyncError>) -> Void
    /// What is held back, before anything was raised.
    private var heldBack: ViewSnapshot?
    private var hadPendingWrites = false
    private var hasRaisedFirst = false
    private var onlineState = OnlineState.unknown
    /// Nothing is raised after an error or the end of listening.
    var isMuted = false

    init(
        _ query: SyncQuery,
        _ options: ListenOptions,
        handler: @escaping (Result<ViewSnapshot, SyncError>) -> Void
    ) {
        self.query = query
        self.options = options
        self.handler = handler
    }

    var usesRemote: Bool { self.options.source != .cache }

    /// Gives whether the user was told, as do the others.
    func viewChanged(_ snapshot: ViewSnapshot) -> Bool {
        var snapshot = snapshot
        if !self.options.includeMetadataChanges {
            snapshot.changes.removeAll { $0.kind == .metadata }
            snapshot.excludesMetadataChanges = true
        }
        defer { self.hadPendingWrites = snapshot.hasPendingWrites }
        guard self.hasRaisedFirst else {
            self.heldBack = snapshot
            return self.raiseFirst(snapshot)
        }
        guard self.isWorthRaising(snapshot) else { return false }
        return self.raise(.success(snapshot))
    }

    func onlineStateChanged(to state: OnlineState) -> Bool {
        self.onlineState = state
        guard let heldBack = self.heldBack else { return false }
        return self.raiseFirst(heldBack)
    }

    func failed(_ error: SyncError) {
        _ = self.raise(.failure(error))
        self.isMuted = true
    }

    private func raiseFirst(_ snapshot: ViewSnapshot) -> Bool {
        guard self.isReadyForFirst(snapshot) else { return false }
        self.hasRaisedFirst = true
        self.heldBack = nil
        var first = snapshot.asInitial
        first.excludesMetadataChanges = !self.options.includeMetadataChanges
        return self.raise(.success(first))
    }

    /// An empty result that the server has not confirmed is held back as long as the server may still answer, unless it
    /// had confirmed the target once.
    private func isReadyForFirst(_ snapshot: ViewSnapshot) -> Bool {
        if !snapshot.isFromCache || !self.usesRemote { return true }
        if self.onlineState == .offline { return true }
        if self.options.waitForSyncWhenOnline { return false }
        return !snapshot.documents.isEmpty || snapshot.hasCachedResults
    }

    private func isWorthRaising(_ snapshot: ViewSnapshot) -> Bool {
        if !snapshot.changes.isEmpty { return true }
        guard self.options.includeMetadataChanges else { return false }
        return snapshot.syncStateChanged || snapshot.hasPendingWrites != self.hadPendingWrites
    }

    private func raise(_ event: Result<ViewSnapshot, SyncError>) -> Bool {
        guard !self.isMuted else { return false }
        self.handler(event)
        return true
    }
}
