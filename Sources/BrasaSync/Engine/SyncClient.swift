package import BrasaDocuments
internal import BrasaStatus

/// The engine's door. Everything is called on the scheduler's executor, and all handlers run there; a handler must not call
/// back before it has returned.
package final class SyncClient {
    let engine: SyncEngine
    private let events: EventManager
    let scheduler: any SyncScheduler
    let readTimeout: Duration
    private let collector: GarbageCollection?
    private let upkeep: IndexUpkeep
    private var listeners: [ListenerToken: Listening] = [:]
    /// Not answered yet.
    var reads: [ListenerToken: SingleRead] = [:]
    private var lastToken: UInt64 = 0
    /// Why nothing works: the client was terminated, or its storage could not be opened. Every call is answered with it.
    package private(set) var end: SyncError?

    private struct Listening {
        let listener: QueryListener
        let ended: () -> Void
    }

    /// Uses the network from the start.
    package convenience init(
        database: DatabaseName,
        configuration: SyncConfiguration,
        storage: any SyncStorage,
        scheduler: any SyncScheduler,
        transport: any SyncTransport,
        user: SyncUser = .signedOut
    ) {
        self.init(
            database: database,
            configuration: configuration,
            storage: .success(storage),
            scheduler: scheduler,
            transport: transport,
            user: user
        )
    }

    /// Without a storage it is at its end from the start.
    package init(
        database: DatabaseName,
        configuration: SyncConfiguration,
        storage: Result<any SyncStorage, SyncError>,
        scheduler: any SyncScheduler,
        transport: any SyncTransport,
        user: SyncUser = .signedOut
    ) {
        let local: LocalStore
        switch storage {
        case .success(let storage): local = LocalStore(storage: storage, user: user)
        case .failure(let error):
            local = LocalStore(storage: MemoryStorage(collector: .eager), user: user)
            self.end = error
        }
        self.scheduler = scheduler
        self.readTimeout = configuration.readTimeout
        self.engine = SyncEngine(
            database: database,
            configuration: configuration,
            local: local,
            scheduler: scheduler,
            transport: transport
        )
        self.events = EventManager(self.engine)
        self.collector = configuration.cacheBytesMax.map {
            GarbageCollection(local, scheduler, CollectionLimits(bytesMax: $0))
        }
        self.upkeep = IndexUpkeep(local, scheduler)
        guard self.end == nil else { return }
        self.engine.remote.start()
        self.collector?.start()
        self.upkeep.start()
    }

    func nextToken() -> ListenerToken {
        self.lastToken += 1
        return ListenerToken(number: self.lastToken)
    }

    package static let terminated = SyncError(.failedPrecondition, "The client has already been terminated.")

    // MARK: - Listening

    /// The first state may come before this returns. After an error the handler is not called again, and there is nothing to
    /// remove; `ended` is called in its place when the client is terminated.
    package func listen(
        _ query: SyncQuery,
        options: ListenOptions = ListenOptions(),
        ended: @escaping () -> Void = {},
        handler: @escaping (Result<ViewSnapshot, SyncError>) -> Void
    ) -> ListenerToken {
        let token = self.nextToken()
        let listener = QueryListener(query, options) { [weak self] event in
            if case .failure = event { self?.listeners[token] = nil }
            handler(event)
        }
        if let end = self.end {
            listener.failed(end)
            return token
        }
        self.listeners[token] = Listening(listener: listener, ended: ended)
        self.events.listen(listener)
        return token
    }

    package func unlisten(_ token: ListenerToken) {
        guard let listening = self.listeners.removeValue(forKey: token) else { return }
        self.events.unlisten(listening.listener)
    }

    /// The handler is called at once, and then each time that all listeners have been told of one change.
    package func addSnapshotsInSyncListener(_ handler: @escaping () -> Void) -> ListenerToken {
        let token = self.nextToken()
        if self.end == nil { self.events.addInSyncListener(token, handler) }
        return token
    }

    package func removeSnapshotsInSyncListener(_ token: ListenerToken) {
        self.events.removeInSyncListener(token)
    }

    // MARK: - Writing

    /// Local listeners see the writes at once; the completion waits for the server. `ended` is called in its place when the
    /// client is terminated first; the writes stay queued in a storage that lasts.
    package func write(
        _ writes: [Write],
        ended: @escaping () -> Void = {},
        completion: @escaping (SyncError?) -> Void
    ) {
        if let end = self.end { return completion(end) }
        self.engine.write(writes, WriteWaiter(completion: completion, ended: ended))
    }

    /// Completes when the server has answered all writes made so far, with whatever answer.
    package func waitForPendingWrites(
        ended: @escaping () -> Void = {},
        completion: @escaping (SyncError?) -> Void
    ) {
        if let end = self.end { return completion(end) }
        self.engine.waitForPendingWrites(WriteWaiter(completion: completion, ended: ended))
    }

    // MARK: - Life

    /// Nothing happens when the network is enabled.
    package func enableNetwork(completion: @escaping () -> Void) {
        if self.end == nil { self.engine.remote.enableNetwork() }
        completion()
    }

    package func disableNetwork(completion: @escaping () -> Void) {
        if self.end == nil { self.engine.remote.disableNetwork() }
        completion()
    }

    /// Writes that are queued for the old user stay queued. Also for new credentials of the same user.
    package func setUser(_ user: SyncUser) {
        if self.end == nil { self.engine.remote.changeUser(to: user) }
    }

    /// Somebody else has just got a connection to the server.
    package func serverReachable() {
        if self.end == nil { self.engine.remote.serverReachable() }
    }

    /// Listeners hear nothing more. Queued writes stay in the storage.
    package func terminate(completion: @escaping () -> Void) {
        guard self.end == nil else { return completion() }
        self.end = Self.terminated
        self.collector?.stop()
        self.upkeep.stop()
        let listeners = self.listeners.values
        self.listeners = [:]
        self.events.end()
        self.engine.remote.shutDown()
        self.engine.local.storage.close()
        self.endReads()
        for listening in listeners { listening.ended() }
        self.engine.endWaiting()
        completion()
    }
}
