internal import BrasaDocuments

/// The two streams: what is listened to, what is being written, and whether there is a network to do it on.
final class RemoteStore {
    /// Why the network may not be used.
    enum OfflineReason: Hashable {
        case userDisabled, storageFailed, credentialChange, shutdown
    }

    let database: DatabaseName
    let local: LocalStore
    let watch: WatchStream
    let writes: WriteStream
    private let retries: StorageRetries
    unowned let syncer: any RemoteSyncer
    let tracker: OnlineStateTracker

    var offlineReasons: Set<OfflineReason> = []
    /// With the newest tokens.
    var listenTargets = TargetTable()
    var wireTargets = WireTargets()
    var aggregator: WatchAggregator?
    /// Watch streams that there have been.
    var connections: UInt64 = 0
    /// The target that the server has just dropped.
    var droppedTarget: TargetID?
    var pipeline: WritePipeline

    /// Half of what the server remembers.
    static let answersAtRiskMax = 50

    init(
        database: DatabaseName,
        local: LocalStore,
        scheduler: any SyncScheduler,
        transport: any SyncTransport,
        syncer: any RemoteSyncer,
        pipelineCountMax: Int = WritePipeline.countMax
    ) {
        self.database = database
        self.pipeline = WritePipeline(countMax: pipelineCountMax)
        self.local = local
        self.syncer = syncer
        self.watch = WatchStream(transport, scheduler)
        self.writes = WriteStream(transport, scheduler)
        self.retries = StorageRetries(scheduler)
        self.tracker = OnlineStateTracker(
            scheduler,
            changed: { [unowned syncer] in syncer.onlineStateChanged(to: $0) }
        )
        self.watch.opened = { [unowned self] in self.watchOpened() }
        self.watch.received = { [unowned self] in self.watchReceived($0) }
        self.watch.lifecycle.ended = { [unowned self] in self.watchEnded($0) }
        self.writes.greeted = { [unowned self] in self.writesGreeted($0) }
        self.writes.received = { [unowned self] in self.writeReceived($0) }
        self.writes.lifecycle.ended = { [unowned self] in self.writesEnded($0) }
    }

    var canUseNetwork: Bool { self.offlineReasons.isEmpty }

    func enableNetwork() {
        guard self.offlineReasons.remove(.userDisabled) != nil else { return }
        self.startStreams()
    }

    func disableNetwork() {
        self.offlineReasons.insert(.userDisabled)
        self.stopStreams()
        self.tracker.set(.offline)
        self.syncer.serverUnreachable()
    }

    func start() {
        self.startStreams()
    }

    func shutDown() {
        self.offlineReasons.insert(.shutdown)
        self.stopStreams()
        self.retries.stop()
        // Views are not told that it is over.
        self.tracker.set(.unknown)
    }

    /// There is a connection: whoever waits to try again need not wait for long.
    func serverReachable() {
        self.watch.lifecycle.hasten()
        self.writes.lifecycle.hasten()
    }

    func changeUser(to user: SyncUser) {
        self.retries.add { [unowned self] () throws(StorageError) in
            let couldUseNetwork = self.canUseNetwork
            self.offlineReasons.insert(.credentialChange)
            self.stopStreams()
            if couldUseNetwork { self.tracker.set(.unknown) }
            try self.syncer.changeUser(to: user)
            self.offlineReasons.remove(.credentialChange)
            self.startStreams()
        }
    }

    /// Does it now, or when the storage works again; without the storage there is no point in a network.
    func whenStorageWorks(_ operation: @escaping () throws(StorageError) -> Void) {
        let user = self.local.user
        do throws(StorageError) {
            try operation()
        } catch {
            self.awaitStorage { [unowned self] () throws(StorageError) in
                // In another user's turn it would change the wrong queue. When the first comes back, the server is asked again.
                if self.local.user == user { try operation() }
            }
        }
    }

    /// Without an operation, a read is what tells that the storage works.
    func awaitStorage(_ operation: (() throws(StorageError) -> Void)? = nil) {
        self.offlineReasons.insert(.storageFailed)
        self.stopStreams()
        self.tracker.set(.offline)
        self.syncer.serverUnreachable()
        self.retries.add { [unowned self] () throws(StorageError) in
            if let operation {
                try operation()
            } else {
                _ = try self.local.lastRemoteSnapshotVersion()
            }
            self.offlineReasons.remove(.storageFailed)
            self.startStreams()
        }
    }

    private func startStreams() {
        guard self.canUseNetwork else { return }
        if self.wantsWatch { self.startWatch() } else { self.tracker.set(.unknown) }
        self.fillPipeline()
    }

    private func stopStreams() {
        for lifecycle in [self.writes.lifecycle, self.watch.lifecycle] {
            lifecycle.stop()
            // What comes next is a fresh start.
            lifecycle.inhibitBackoff()
        }
        self.pipeline.removeAll()
        self.writes.forgetPosition()
        self.aggregator = nil
    }
}
