package import BrasaDocuments

/// The engine's door. Everything is called on the scheduler's executor, and all handlers run there; a handler must not call
/// back before it has returned.
package final class SyncClient {
    let engine: SyncEngine
    private let events: EventManager
    private let scheduler: any SyncScheduler
    private let collector: GarbageCollection?
    private let upkeep: IndexUpkeep
    private var listeners: [ListenerToken: QueryListener] = [:]
    private var lastToken: UInt64 = 0
    private(set) var isTerminated = false

    /// Uses the network from the start.
    package init(
        database: DatabaseName,
        configuration: SyncConfiguration,
        storage: any SyncStorage,
        scheduler: any SyncScheduler,
        transport: any SyncTransport,
        user: SyncUser = .signedOut
    ) {
        let local = LocalStore(storage: storage, user: user)
        self.scheduler = scheduler
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
        self.engine.remote.start()
        self.collector?.start()
        self.upkeep.start()
    }

    private func nextToken() -> ListenerToken {
        self.lastToken += 1
        return ListenerToken(number: self.lastToken)
    }

    static let terminated = SyncError(.failedPrecondition, "The client has already been terminated.")

    // MARK: - Listening

    /// The first state may come before this returns. After an error the handler is not called again, and there is nothing to remove.
    package func listen(
        _ query: SyncQuery,
        options: ListenOptions = ListenOptions(),
        handler: @escaping (Result<ViewSnapshot, SyncError>) -> Void
    ) -> ListenerToken {
        let token = self.nextToken()
        let listener = QueryListener(query, options) { [weak self] event in
            if case .failure = event { self?.listeners[token] = nil }
            handler(event)
        }
        guard !self.isTerminated else {
            listener.failed(Self.terminated)
            return token
        }
        self.listeners[token] = listener
        self.events.listen(listener)
        return token
    }

    package func unlisten(_ token: ListenerToken) {
        guard let listener = self.listeners.removeValue(forKey: token) else { return }
        self.events.unlisten(listener)
    }

    /// The handler is called at once, and then each time that all listeners have been told of one change.
    package func addSnapshotsInSyncListener(_ handler: @escaping () -> Void) -> ListenerToken {
        let token = self.nextToken()
        if !self.isTerminated { self.events.addInSyncListener(token, handler) }
        return token
    }

    package func removeSnapshotsInSyncListener(_ token: ListenerToken) {
        self.events.removeInSyncListener(token)
    }

    // MARK: - Writing

    /// Local listeners see the writes at once; the completion waits for the server.
    package func write(_ writes: [Write], completion: @escaping (SyncError?) -> Void) {
        guard !self.isTerminated else { return completion(Self.terminated) }
        self.engine.write(writes, completion: completion)
    }

    /// Completes when the server has answered all writes made so far, with whatever answer.
    package func waitForPendingWrites(completion: @escaping (SyncError?) -> Void) {
        guard !self.isTerminated else { return completion(Self.terminated) }
        self.engine.waitForPendingWrites(completion: completion)
    }

    // MARK: - Reading once

    package func getDocument(
        _ path: ResourcePath,
        source: ReadSource = .default,
        completion: @escaping (Result<DocumentRead, SyncError>) -> Void
    ) {
        guard !self.isTerminated else { return completion(.failure(Self.terminated)) }
        guard source != .cache else { return completion(self.readCached(path)) }
        self.listenOnce(SyncQuery(document: path)) { event in
            completion(event.flatMap { DocumentRead.result(of: $0, at: path, source: source) })
        }
    }

    package func getDocuments(
        _ query: SyncQuery,
        source: ReadSource = .default,
        completion: @escaping (Result<ViewSnapshot, SyncError>) -> Void
    ) {
        guard !self.isTerminated else { return completion(.failure(Self.terminated)) }
        guard source != .cache else { return completion(self.engine.readCached(query)) }
        self.listenOnce(query) { event in
            completion(
                event.flatMap { snapshot in
                    guard source == .server, snapshot.isFromCache else { return .success(snapshot) }
                    return .failure(SyncError(.unavailable, "The documents could not be read from the server."))
                }
            )
        }
    }

    private func readCached(_ path: ResourcePath) -> Result<DocumentRead, SyncError> {
        do throws(StorageError) {
            return DocumentRead.result(ofCached: try self.engine.local.readDocument(at: path))
        } catch {
            return .failure(SyncError(.unavailable, "The cache could not be read."))
        }
    }

    /// The first event that says as much as can be said. The listener is gone before the completion is called.
    private func listenOnce(_ query: SyncQuery, completion: @escaping (Result<ViewSnapshot, SyncError>) -> Void) {
        let options = ListenOptions(includeMetadataChanges: true, waitForSyncWhenOnline: true)
        let token = ListenerToken(number: self.lastToken + 1)
        let scheduler = self.scheduler
        var isAnswered = false
        _ = self.listen(query, options: options) { [weak self] event in
            guard !isAnswered else { return }
            isAnswered = true
            scheduler.enqueue {
                self?.unlisten(token)
                completion(event)
            }
        }
    }

    // MARK: - Life

    /// Nothing happens when the network is enabled.
    package func enableNetwork(completion: @escaping () -> Void) {
        if !self.isTerminated { self.engine.remote.enableNetwork() }
        completion()
    }

    package func disableNetwork(completion: @escaping () -> Void) {
        if !self.isTerminated { self.engine.remote.disableNetwork() }
        completion()
    }

    /// Writes that are queued for the old user stay queued. Also for new credentials of the same user.
    package func setUser(_ user: SyncUser) {
        if !self.isTerminated { self.engine.remote.changeUser(to: user) }
    }

    package func connectivityChanged() {
        if !self.isTerminated { self.engine.remote.restart() }
    }

    /// Listeners are told that it is over. Queued writes stay in the storage, and what waits for their answers is not
    /// called.
    package func terminate(completion: @escaping () -> Void) {
        guard !self.isTerminated else { return completion() }
        self.isTerminated = true
        self.collector?.stop()
        self.upkeep.stop()
        self.events.fail(SyncError(.aborted, "The client was terminated."))
        self.listeners = [:]
        self.engine.remote.shutDown()
        self.engine.local.storage.close()
        completion()
    }
}
