internal import BrasaDocuments

/// Sees the new states of views.
protocol ViewObserver: AnyObject {
    func viewsChanged(_ snapshots: [ViewSnapshot])
    func viewFailed(_ query: SyncQuery, _ error: SyncError)
    func onlineStateChanged(to state: OnlineState)
}

/// Joins the caches, the views and the server: whatever changes documents ends in new states of the views.
final class SyncEngine {
    let local: LocalStore
    let scheduler: any SyncScheduler
    weak var observer: (any ViewObserver)?
    let database: DatabaseName
    let transport: any SyncTransport
    private let pipelineCountMax: Int
    private(set) lazy var remote = RemoteStore(
        database: self.database,
        local: self.local,
        scheduler: self.scheduler,
        transport: self.transport,
        syncer: self,
        pipelineCountMax: self.pipelineCountMax
    )

    private(set) var views = ViewTable()
    var limbo: LimboResolution
    /// Not answered yet.
    var serverReads: [ListenerToken: ServerRead] = [:]
    /// The newest that was ever queued: by an earlier process, as long as this one has queued none.
    lazy var newestBatch = self.newestWaitingBatch
    /// Acknowledged documents that a view does not show before watch has come to these times.
    var withheld: [ResourcePath: Timestamp] = [:]

    var writeWaiters: [SyncUser: [BatchID: WriteWaiter]] = [:]
    var pendingWriteWaiters: [BatchID: [WriteWaiter]] = [:]

    init(
        database: DatabaseName,
        configuration: SyncConfiguration,
        local: LocalStore,
        scheduler: any SyncScheduler,
        transport: any SyncTransport
    ) {
        self.database = database
        self.local = local
        self.scheduler = scheduler
        self.transport = transport
        self.pipelineCountMax = configuration.pipelineCountMax
        self.limbo = LimboResolution(activeMax: configuration.limboResolutionsMax)
    }

    var now: Timestamp { self.scheduler.now }

    // MARK: - Listening

    /// Gives the first state, from the cache.
    func listen(_ query: SyncQuery, usesRemote: Bool) throws(StorageError) -> ViewSnapshot? {
        let data = try self.local.allocateTarget(query.target)
        let result: QueryResult
        do throws(StorageError) {
            result = try self.local.execute(query, usingPreviousResults: true)
        } catch {
            if self.views.views(of: data.id).isEmpty { self.local.releaseTarget(data.id) }
            throw error
        }
        let view = View(query, remoteKeys: result.remoteKeys)
        // A view of the same target may have been brought up to date already.
        let isCurrent = self.views.views(of: data.id).first?.view.isCurrent ?? false
        let known = TargetChange(resumeToken: data.resumeToken, isCurrent: isCurrent)
        let change = view.apply(view.compute(result.documents), known)
        let queryView = QueryView(query: query, target: data.id, view: view, usesRemote: usesRemote)
        self.views.add(queryView)
        self.local.hold(view.documents.lazy.map(\.path), for: data.id)
        self.track(change.limbo, of: data.id)
        if usesRemote { self.remote.listen(data) }
        return change.snapshot
    }

    /// For a view that had listeners to the cache only.
    func beginRemoteListen(_ query: SyncQuery) throws(StorageError) {
        let data = try self.local.allocateTarget(query.target)
        self.views[query]?.usesRemote = true
        self.remote.listen(data)
    }

    /// For a view that has listeners to the cache only from now on.
    func endRemoteListen(_ query: SyncQuery) {
        guard let queryView = self.views[query] else { return }
        queryView.usesRemote = false
        self.leaveServer(queryView.target)
    }

    func unlisten(_ query: SyncQuery) {
        guard let queryView = self.views[query] else { return }
        let target = queryView.target
        if self.views.views(of: target).count > 1 {
            self.views.remove(queryView)
            return self.leaveServer(target)
        }
        self.local.releaseTarget(target)
        self.remote.unlisten(target)
        self.removeViews(of: target, nil)
    }

    /// Ends listening when no view of the target is for it any more. Those that stay have nobody who keeps them current.
    private func leaveServer(_ target: TargetID) {
        let views = self.views.views(of: target)
        guard !views.contains(where: \.usesRemote) else { return }
        self.remote.unlisten(target)
        self.endLimbo(of: target)
        let snapshots = views.compactMap { $0.view.leaveServer() }
        if !snapshots.isEmpty { self.observer?.viewsChanged(snapshots) }
    }

    /// Drops all views of a target; with an error, their listeners hear of it.
    func removeViews(of target: TargetID, _ error: SyncError?) {
        for queryView in self.views.views(of: target) {
            self.views.remove(queryView)
            if let error { self.observer?.viewFailed(queryView.query, error) }
        }
        self.endLimbo(of: target)
    }

    func targetID(of query: SyncQuery) -> TargetID? { self.views[query]?.target }

    func viewKeys(of target: TargetID) -> Set<ResourcePath> {
        let views = self.views.views(of: target)
        return views.dropFirst().reduce(views.first?.view.syncedKeys ?? []) { $0.union($1.view.syncedKeys) }
    }

    func isViewKey(_ path: ResourcePath, of target: TargetID) -> Bool {
        self.views.views(of: target).contains { $0.view.syncedKeys.contains(path) }
    }

    // MARK: - Changes

    /// Brings the views up to date with changed documents, then shows them, then tells the cache what they hold.
    func emit(_ changes: DocumentMap, _ event: RemoteEvent? = nil) {
        // Programs that only write, or read once, have none.
        guard !self.views.isEmpty else { return }
        var snapshots: [ViewSnapshot] = []
        var localChanges: [LocalViewChanges] = []
        for (queryView, changes) in self.views.concerned(by: changes, event, shown: self.local.storage.viewReferences) {
            guard let snapshot = self.update(queryView, changes, event) else { continue }
            snapshots.append(snapshot)
            // What a view of the same target still shows stays held.
            let others = self.views.views(of: queryView.target).filter { $0 !== queryView }
            localChanges.append(
                LocalViewChanges(queryView.target, snapshot) { path in
                    others.contains { $0.view.documents[path] != nil }
                }
            )
        }
        self.observer?.viewsChanged(snapshots)
        self.local.note(localChanges)
    }

    private func update(_ queryView: QueryView, _ changes: DocumentMap, _ event: RemoteEvent?) -> ViewSnapshot? {
        let view = queryView.view
        let time = event?.snapshotVersion ?? .zero
        var computed = view.compute(changes, at: time)
        // When the cache cannot be read the view is short of some documents until the next change.
        if computed.needsRefill,
            let all = try? self.local.execute(queryView.query, usingPreviousResults: false, forView: false)
        {
            computed = view.compute(all.documents, previous: computed, at: time)
        }
        self.withheld.merge(computed.withheld) { max($0, $1) }
        let change = view.apply(
            computed,
            event?.targetChanges[queryView.target],
            isPendingReset: event?.mismatches[queryView.target] != nil
        )
        self.track(change.limbo, of: queryView.target)
        return change.snapshot
    }
}

extension LocalViewChanges {
    fileprivate init(_ target: TargetID, _ snapshot: ViewSnapshot, isShownElsewhere: (ResourcePath) -> Bool) {
        self.init(
            target: target,
            isFromCache: snapshot.isFromCache,
            added: snapshot.changes.filter { $0.kind == .added }.map(\.document.path),
            removed: snapshot.changes.filter { $0.kind == .removed && !isShownElsewhere($0.document.path) }.map(
                \.document.path
            )
        )
    }
}
