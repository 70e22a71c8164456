internal import BrasaDocuments

extension RemoteStore: WatchTargetSource {
    func listen(_ data: TargetData) {
        guard !self.listenTargets.contains(data.id) else { return }
        self.listenTargets[data.id] = data
        self.wireTargets.add(data.id)
        if self.wantsWatch {
            self.startWatch()
        } else if self.watch.lifecycle.isOpen {
            self.send(data)
        } else if self.canUseNetwork {
            self.tracker.awaitAnswer()
            self.watch.lifecycle.hasten()
        }
    }

    func unlisten(_ target: TargetID) {
        guard self.listenTargets.contains(target) else { return }
        self.listenTargets[target] = nil
        let wireID = self.wireTargets.remove(target)
        self.aggregator?.forget(target)
        if let wireID, self.watch.lifecycle.isOpen, target != self.droppedTarget { self.watch.send(.remove(wireID)) }
        self.watchTargetGone()
    }

    private func watchTargetGone() {
        guard self.listenTargets.isEmpty else { return }
        if self.watch.lifecycle.isOpen {
            self.watch.lifecycle.markIdle()
        } else if self.canUseNetwork {
            self.tracker.set(.unknown)
        }
    }

    func purpose(of target: TargetID) -> TargetData.Purpose? { self.listenTargets.purpose(of: target) }

    func subject(of target: TargetID) -> SyncTarget? { self.listenTargets.subject(of: target) }

    func remoteKeys(of target: TargetID) -> Set<ResourcePath> { self.syncer.remoteKeys(of: target) }

    func isRemoteKey(_ path: ResourcePath, of target: TargetID) -> Bool {
        self.syncer.isRemoteKey(path, of: target)
    }

    var wantsWatch: Bool {
        self.canUseNetwork && !self.watch.lifecycle.isStarted && !self.listenTargets.isEmpty
    }

    func startWatch() {
        self.connections += 1
        self.aggregator = WatchAggregator(database: self.database, connection: self.connections, source: self)
        self.watch.lifecycle.start()
        self.tracker.streamStarted()
    }

    private func send(_ data: TargetData) {
        guard let wireID = self.wireTargets.wireID(of: data.id) else { return }
        self.aggregator?.recordRequest(for: data.id)
        var resumption: WatchRequest.Resumption?
        if !data.resumeToken.isEmpty {
            resumption = .token(data.resumeToken)
        } else if data.snapshotVersion > .zero {
            resumption = .readTime(data.snapshotVersion)
        }
        let count = resumption == nil ? nil : Int32(clamping: self.remoteKeys(of: data.id).count)
        let request = WatchRequest.AddTarget(
            id: wireID,
            target: data.target,
            resumption: resumption,
            expectedCount: count,
            purpose: data.purpose
        )
        self.watch.send(.add(request))
    }

    // MARK: - What the stream says

    func watchOpened() {
        for id in self.listenTargets.ids.sorted() {
            if let data = self.listenTargets[id] { self.send(data) }
        }
    }

    func watchEnded(_ error: SyncError?) {
        self.aggregator = nil
        guard self.wantsWatch else { return self.tracker.set(.unknown) }
        if error != nil { self.tracker.streamFailed() }
        self.startWatch()
    }

    func watchReceived(_ message: WatchMessage) {
        self.tracker.set(.online)
        switch message {
        case .target(let message): self.received(message)
        case .document(let document, let ids, let removed):
            let (targets, removed) = (self.wireTargets.targets(of: ids), self.wireTargets.targets(of: removed))
            self.aggregator?.add(document, targets: targets, removed: removed)
        case .delete(let path, let version, let removed):
            let document = SyncDocument.missing(path, version: version)
            self.aggregator?.add(document, targets: [], removed: self.wireTargets.targets(of: removed))
        case .remove(let path, let removed):
            for id in self.wireTargets.targets(of: removed) {
                self.aggregator?.remove(path, from: id, update: nil)
            }
        case .filter(let wireID, let count, let bloomFilter):
            for id in self.wireTargets.targets(of: [wireID]) {
                self.aggregator?.add(count: Int(count), bloomFilter: bloomFilter, for: id)
            }
        }
    }

    private func received(_ message: WatchMessage.TargetMessage) {
        let isForAll = message.targets.isEmpty
        let targets = self.wireTargets.targets(of: message.targets)
        if message.kind == .remove, let cause = message.cause {
            self.reject(isForAll ? self.listenTargets.ids.sorted() : targets, cause)
            return
        }
        guard isForAll, let version = message.readTime else {
            self.aggregator?.add(message, targets: isForAll ? nil : targets)
            return
        }
        self.raiseSnapshot(at: version, message)
    }

    private func reject(_ targets: [TargetID], _ error: SyncError) {
        for id in targets where self.listenTargets.contains(id) {
            self.droppedTarget = id
            defer { self.droppedTarget = nil }
            do throws(StorageError) {
                try self.syncer.rejectListen(id, error)
            } catch {
                // It stays listened to, and the server will reject it again.
                return self.awaitStorage()
            }
            guard self.listenTargets.contains(id) else { continue }
            self.listenTargets[id] = nil
            _ = self.wireTargets.remove(id)
            self.aggregator?.forget(id)
            self.watchTargetGone()
        }
    }

    private func raiseSnapshot(at version: Timestamp, _ message: WatchMessage.TargetMessage) {
        do throws(StorageError) {
            // After resuming with tokens of different age the server starts from the oldest.
            let isNew = try self.local.lastRemoteSnapshotVersion() <= version
            let sharesToken = isNew && message.kind == .noChange
            if !sharesToken { self.aggregator?.add(message, targets: nil) }
            guard isNew,
                let event = self.aggregator?.finish(at: version, token: sharesToken ? message.resumeToken : [])
            else { return }
            try self.syncer.apply(event)
            self.watch.lifecycle.noteProgress()
            self.listenTargets.advance(event, changed: self.resumed(by: event))
            for (id, purpose) in event.mismatches.sorted(by: { $0.key < $1.key }) { self.listenAnew(id, purpose) }
        } catch {
            self.awaitStorage()
        }
    }

    private func resumed(by event: RemoteEvent) -> [TargetData] {
        event.targetChanges.compactMap { id, change in
            guard !change.resumeToken.isEmpty, var data = self.listenTargets[id] else { return nil }
            data.resume(at: event.snapshotVersion, token: change.resumeToken)
            return data
        }
    }

    /// Without a token, so that the server sends all there is.
    private func listenAnew(_ id: TargetID, _ purpose: TargetData.Purpose) {
        guard var data = self.listenTargets[id], let wireID = self.wireTargets.wireID(of: id) else { return }
        data.resume(at: .zero, token: [])
        self.listenTargets[id] = data
        self.aggregator?.recordRequest(for: id)
        self.watch.send(.remove(wireID))
        data.purpose = purpose
        self.send(data)
    }
}
