internal import BrasaDocuments
internal import BrasaStatus

extension SyncEngine: RemoteSyncer {
    func apply(_ event: RemoteEvent) throws(StorageError) {
        var changes = try self.local.apply(event)
        for path in self.takeWithheld(until: event.snapshotVersion) where changes[path] == nil {
            changes[path] = try? self.local.readDocument(at: path)
        }
        for (target, change) in event.targetChanges { self.limbo.note(change, for: target) }
        self.emit(changes, event)
    }

    /// What watch has passed.
    private func takeWithheld(until time: Timestamp) -> [ResourcePath] {
        let passed = self.withheld.filter { $0.value <= time }.map(\.key)
        for path in passed { self.withheld[path] = nil }
        return passed
    }

    func rejectListen(_ target: TargetID, _ error: SyncError) throws(StorageError) {
        guard let active = self.limbo.active[target] else {
            self.local.releaseTarget(target)
            return self.removeViews(of: target, error)
        }
        // We may not see the document: it goes. What is left of the resolution is forgotten when that is done.
        try self.apply(.purge(active.path))
        _ = self.limbo.forget(active.path)
        self.resolveNextLimbo()
    }

    func acknowledge(_ acknowledgement: Acknowledgement) throws(StorageError) {
        self.noteAcknowledged(acknowledgement.batch, at: acknowledgement.commitTime)
        let changes = try self.local.acknowledge(acknowledgement, isShown: !self.views.isEmpty)
        self.complete(acknowledgement.batch.id, nil)
        self.emit(changes)
    }

    func rejectWrite(_ id: BatchID, _ error: SyncError) throws(StorageError) {
        let changes = try self.local.reject(id)
        self.complete(id, error)
        self.emit(changes)
    }

    func changeUser(to user: SyncUser) throws(StorageError) {
        guard user != self.local.user else { return }
        let changes: DocumentMap
        do throws(StorageError) {
            changes = try self.local.changeUser(to: user)
        } catch {
            // The user has changed all the same, and until the storage knows there is no network.
            self.serverUnreachable()
            throw error
        }
        self.newestBatch = max(self.newestBatch, self.newestWaitingBatch)
        self.restartServerReads()
        let waiters = self.pendingWriteWaiters.values.flatMap(\.self)
        self.pendingWriteWaiters = [:]
        for waiter in waiters { waiter.completion(SyncError(.cancelled, "The user has changed.")) }
        self.emit(changes)
    }

    func onlineStateChanged(to state: OnlineState) {
        let snapshots = state == .offline ? self.views.all.compactMap { $0.view.goOffline() } : []
        self.observer?.onlineStateChanged(to: state)
        if !snapshots.isEmpty { self.observer?.viewsChanged(snapshots) }
    }

    func serverUnreachable() {
        self.failServerReads(Self.unreachable)
    }

    func remoteKeys(of target: TargetID) -> Set<ResourcePath> {
        if let active = self.limbo.active[target] { return active.hasDocument ? [active.path] : [] }
        return self.viewKeys(of: target)
    }

    func isRemoteKey(_ path: ResourcePath, of target: TargetID) -> Bool {
        if let active = self.limbo.active[target] { return active.hasDocument && active.path == path }
        return self.isViewKey(path, of: target)
    }
}
