internal import BrasaDocuments

/// Sees the new states of views.
protocol ViewObserver: AnyObject {
    func viewsChanged(_ snapshots: [ViewSnapshot])
    func viewFailed(_ query: SyncQuery, _ error: SyncError)
    func onlineStateChanged(to state: OnlineState)
}

/// Joins the caches, the views and the server: whatever changes documents ends in new states of the views.
final class SyncEngine {
    /// A query with its view.
    final class QueryView {
        let query: SyncQuery
        let target: TargetID
        let view: View

        init(query: SyncQuery, target: TargetID, view: View) {
            self.query = query
            self.target = target
            self.view = view
        }
    }

    let local: LocalStore
    private let scheduler: any SyncScheduler
    weak var observer: (any ViewObserver)?
    let database: DatabaseName
    private let transport: any SyncTransport
    private(set) lazy var remote = RemoteStore(
        database: self.database,
        local: self.local,
        scheduler: self.scheduler,
        transport: self.transport,
        syncer: self
    )

    /// In the order in which they were listened to.
    private(set) var views: [QueryView] = []
    private var viewsByQuery: [SyncQuery: QueryView] = [:]
    private var viewsByTarget: [TargetID: [QueryView]] = [:]
    var limbo: LimboResolution

    var writeCompletions: [SyncUser: [BatchID: (SyncError?) -> Void]] = [:]
    var pendingWriteWaiters: [BatchID: [(SyncError?) -> Void]] = [:]

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
            if self.viewsByTarget[data.id] == nil { self.local.releaseTarget(data.id) }
            throw error
        }
        let view = View(query, remoteKeys: result.remoteKeys)
        // A view of the same target may have been brought up to date already.
        let isCurrent = self.viewsByTarget[data.id]?.first?.view.syncState == .synced
        let known = TargetChange(resumeToken: data.resumeToken, isCurrent: isCurrent)
        let change = view.apply(view.compute(result.documents), known)
        let queryView = QueryView(query: query, target: data.id, view: view)
        self.views.append(queryView)
        self.viewsByQuery[query] = queryView
        self.viewsByTarget[data.id, default: []].append(queryView)
        self.local.hold(view.documents, for: data.id)
        self.track(change.limbo, of: data.id)
        if usesRemote { self.remote.listen(data) }
        return change.snapshot
    }

    /// For a view that had listeners to the cache only.
    func beginRemoteListen(_ query: SyncQuery) throws(StorageError) {
        self.remote.listen(try self.local.allocateTarget(query.target))
    }

    /// For a view that has listeners to the cache only from now on.
    func endRemoteListen(_ query: SyncQuery) {
        guard let queryView = self.viewsByQuery[query], self.viewsByTarget[queryView.target]?.count == 1 else { return }
        self.remote.unlisten(queryView.target)
    }

    func unlisten(_ query: SyncQuery, usesRemote: Bool) {
        guard let queryView = self.viewsByQuery[query] else { return }
        let target = queryView.target
        if let others = self.viewsByTarget[target], others.count > 1 {
            self.viewsByTarget[target] = others.filter { $0 !== queryView }
            self.remove(queryView)
            return
        }
        self.local.releaseTarget(target)
        if usesRemote { self.remote.unlisten(target) }
        self.removeViews(of: target, nil)
    }

    /// Drops all views of a target; with an error, their listeners hear of it.
    func removeViews(of target: TargetID, _ error: SyncError?) {
        for queryView in self.viewsByTarget.removeValue(forKey: target) ?? [] {
            self.remove(queryView)
            if let error { self.observer?.viewFailed(queryView.query, error) }
        }
        self.endLimbo(of: target)
    }

    private func remove(_ queryView: QueryView) {
        self.viewsByQuery[queryView.query] = nil
        self.views.removeAll { $0 === queryView }
    }

    func targetID(of query: SyncQuery) -> TargetID? { self.viewsByQuery[query]?.target }

    func viewKeys(of target: TargetID) -> Set<ResourcePath> {
        let views = self.viewsByTarget[target] ?? []
        return views.dropFirst().reduce(views.first?.view.syncedKeys ?? []) { $0.union($1.view.syncedKeys) }
    }

    func isViewKey(_ path: ResourcePath, of target: TargetID) -> Bool {
        self.viewsByTarget[target]?.contains { $0.view.syncedKeys.contains(path) } ?? false
    }

    // MARK: - Changes

    /// Brings all views up to date with changed documents, then shows them, then tells the cache what they hold.
    func emit(_ changes: DocumentMap, _ event: RemoteEvent? = nil) {
        var snapshots: [ViewSnapshot] = []
        var localChanges: [LocalViewChanges] = []
        for queryView in self.views where self.mayConcern(queryView, changes, event) {
            guard let snapshot = self.update(queryView, changes, event) else { continue }
            snapshots.append(snapshot)
            // What a view of the same target still shows stays held.
            let others = self.viewsByTarget[queryView.target, default: []].filter { $0 !== queryView }
            localChanges.append(
                LocalViewChanges(queryView.target, snapshot) { path in
                    others.contains { $0.view.documents[path] != nil }
                }
            )
        }
        self.observer?.viewsChanged(snapshots)
        self.local.note(localChanges)
    }

    /// A view stays as it is when nothing is said of its target, nor of documents that it may hold. With many listeners
    /// most events are about few of them.
    private func mayConcern(_ queryView: QueryView, _ changes: DocumentMap, _ event: RemoteEvent?) -> Bool {
        let target = queryView.target
        if event?.targetChanges[target] != nil || event?.mismatches[target] != nil { return true }
        if queryView.view.syncState == .none { return true }
        if case .document(let path) = queryView.query.target { return changes[path] != nil }
        return !changes.isEmpty
    }

    private func update(_ queryView: QueryView, _ changes: DocumentMap, _ event: RemoteEvent?) -> ViewSnapshot? {
        let view = queryView.view
        var computed = view.compute(changes)
        // When the cache cannot be read the view is short of some documents until the next change.
        if computed.needsRefill,
            let all = try? self.local.execute(queryView.query, usingPreviousResults: false)
        {
            computed = view.compute(all.documents, previous: computed)
        }
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
