internal import BrasaDocuments

/// Knows what the aggregator has to ask.
protocol WatchTargetSource: AnyObject {
    /// Nil when nobody listens to it.
    func purpose(of target: TargetID) -> TargetData.Purpose?
    func subject(of target: TargetID) -> SyncTarget?
    /// What the server had said of the target up to the last snapshot.
    func remoteKeys(of target: TargetID) -> Set<ResourcePath>
    func isRemoteKey(_ path: ResourcePath, of target: TargetID) -> Bool
}

/// Gathers what the watch stream says until it is a consistent state. One for each connection; target ids are the
/// engine's.
struct WatchAggregator {
    private let database: DatabaseName
    private let connection: UInt64
    private unowned let source: any WatchTargetSource
    private var targets: [TargetID: WatchTarget] = [:]
    private var updates: DocumentMap = [:]
    /// Which targets spoke of a document.
    private var touched: [ResourcePath: Set<TargetID>] = [:]
    private var resets: [TargetID: TargetData.Purpose] = [:]
    /// Something was said of them since the last token that all targets were given.
    private var spoken: Set<TargetID> = []
    /// They were requested or forgotten since the last snapshot.
    private var unshared: Set<TargetID> = []

    init(database: DatabaseName, connection: UInt64, source: any WatchTargetSource) {
        self.database = database
        self.connection = connection
        self.source = source
    }

    mutating func recordRequest(for target: TargetID) {
        self.targets[target, default: WatchTarget()].recordRequest()
        self.unshared.insert(target)
    }

    mutating func forget(_ target: TargetID) {
        self.targets[target] = nil
        self.spoken.remove(target)
        self.unshared.insert(target)
    }

    // MARK: - Messages

    /// Without targets it is about all that are listened to.
    mutating func add(_ message: WatchMessage.TargetMessage, targets: [TargetID]?) {
        // A snapshot without a token says nothing of the targets.
        if message.kind == .noChange, message.resumeToken.isEmpty { return }
        for id in targets ?? self.targets.keys.filter(self.isActive) { self.add(message, to: id) }
    }

    private mutating func add(_ message: WatchMessage.TargetMessage, to id: TargetID) {
        var target = self.targets[id] ?? WatchTarget()
        let isActive = self.isActive(id)
        switch message.kind {
        case .add:
            target.recordResponse()
            // What was said of the target as it was before is of no use.
            if !target.isPending { target.clearChanges() }
            target.take(message.resumeToken)
        case .remove:
            target.recordResponse()
            guard target.isPending else { return self.forget(id) }
        case .noChange:
            if isActive { target.take(message.resumeToken) }
        case .current:
            if isActive {
                target.markCurrent()
                target.take(message.resumeToken)
            }
        case .reset:
            guard isActive else { break }
            self.reset(id)
            self.targets[id]?.take(message.resumeToken)
            return
        }
        self.set(target, of: id)
    }

    mutating func add(_ document: SyncDocument, targets: [TargetID], removed: [TargetID]) {
        for id in targets where self.isActive(id) {
            if document.isFound {
                let isKnown = self.source.isRemoteKey(document.path, of: id)
                self.record(isKnown ? .modified : .added, of: document.path, in: id, update: document)
            } else {
                self.remove(document.path, from: id, update: document)
            }
        }
        for id in removed { self.remove(document.path, from: id, update: document) }
    }

    /// Without an update it is not known what became of the document.
    mutating func remove(_ path: ResourcePath, from id: TargetID, update: SyncDocument?) {
        guard self.isActive(id) else { return }
        // It may have come and gone since the last snapshot.
        let isKnown = self.source.isRemoteKey(path, of: id)
        self.record(isKnown ? .removed : nil, of: path, in: id, update: update)
    }

    /// The number of documents that the server has for the target.
    mutating func add(count: Int, bloomFilter: WatchMessage.UncheckedBloomFilter?, for id: TargetID) {
        guard self.isActive(id) else { return }
        if case .document(let path)? = self.source.subject(of: id) {
            if count == 0 { self.remove(path, from: id, update: .missing(path, version: .zero)) }
            return
        }
        let keys = self.source.remoteKeys(of: id)
        let have = self.targets[id]?.documentCount(from: keys.count) ?? keys.count
        guard have != count else { return }
        if let filter = BloomFilter(bloomFilter) {
            let absent = keys.filter { path in
                DocumentName(database: self.database, path: path).map { !filter.mayContain($0.bytes) } ?? false
            }
            for path in absent { self.remove(path, from: id, update: nil) }
            if have - absent.count == count { return }
            self.resets[id] = .existenceFilterMismatchBloom
        } else {
            self.resets[id] = .existenceFilterMismatch
        }
        self.reset(id)
    }

    // MARK: - Snapshots

    /// Everything up to a consistent state of the server. The token, if there is one, is every target's: those that
    /// nothing was said of are not even looked at.
    mutating func finish(at version: Timestamp, token: [UInt8]) -> RemoteEvent {
        var event = RemoteEvent(snapshotVersion: version, connection: self.connection, sharedToken: token)
        for id in self.spoken {
            guard self.isActive(id) else { continue }
            self.targets[id]?.take(token)
            guard self.targets[id]?.hasPendingChanges == true else { continue }
            self.completeDocumentTarget(id, at: version)
            guard let target = self.targets[id] else { continue }
            event.targetChanges[id] = target.targetChange
            self.targets[id]?.clearChanges()
        }
        for (path, ids) in self.touched {
            let isLimbo = ids.allSatisfy { id in
                !self.isActive(id) || self.source.purpose(of: id) == .limboResolution
            }
            if isLimbo { event.resolvedLimbo.insert(path) }
        }
        event.documentUpdates = self.updates.mapValues { document in
            var document = document
            document.readTime = version
            return document
        }
        event.mismatches = self.resets
        event.unshared = self.unshared
        if !token.isEmpty { self.spoken = [] }
        self.unshared = []
        self.updates = [:]
        self.touched = [:]
        self.resets = [:]
        return event
    }

    /// A target of one document that is current without the document: it does not exist.
    private mutating func completeDocumentTarget(_ id: TargetID, at version: Timestamp) {
        guard case .document(let path)? = self.source.subject(of: id), let target = self.targets[id], target.isCurrent,
            !target.hasReceived(path), !self.source.isRemoteKey(path, of: id)
        else { return }
        self.remove(path, from: id, update: .missing(path, version: version))
    }

    // MARK: -

    private mutating func set(_ target: WatchTarget, of id: TargetID) {
        self.targets[id] = target
        self.spoken.insert(id)
    }

    /// Whether somebody listens to it, and what is said of it is about the target as it is now.
    private func isActive(_ id: TargetID) -> Bool {
        self.targets[id]?.isPending != true && self.source.purpose(of: id) != nil
    }

    private mutating func record(
        _ change: WatchTarget.Change?,
        of path: ResourcePath,
        in id: TargetID,
        update: SyncDocument?
    ) {
        self.targets[id, default: WatchTarget()].record(change, of: path)
        self.spoken.insert(id)
        self.touched[path, default: []].insert(id)
        if let update { self.updates[path] = update }
    }

    /// As if the target had just been added, without any document.
    private mutating func reset(_ id: TargetID) {
        self.set(WatchTarget(), of: id)
        for path in self.source.remoteKeys(of: id) { self.remove(path, from: id, update: nil) }
    }
}

extension BloomFilter {
    /// Nil when it says nothing: absent, unreadable, contradictory or without bits.
    fileprivate init?(_ unchecked: WatchMessage.UncheckedBloomFilter?) {
        guard let unchecked, let bitmap = unchecked.bitmap, !bitmap.isEmpty else { return nil }
        self.init(bitmap: bitmap, padding: Int(unchecked.padding), hashCount: Int(unchecked.hashCount))
    }
}
