import BrasaStatus

/// Hands the states of views to listeners: equal queries share one view.
final class EventManager: ViewObserver {
    private final class Listening {
        var listeners: [QueryListener] = []
        var last: ViewSnapshot?

        var usesRemote: Bool { self.listeners.contains(where: \.usesRemote) }
    }

    private let engine: SyncEngine
    private var queries: [SyncQuery: Listening] = [:]
    /// In the order of registration.
    private var inSync: [(token: ListenerToken, handler: () -> Void)] = []
    private var onlineState = OnlineState.unknown

    init(_ engine: SyncEngine) {
        self.engine = engine
        engine.observer = self
    }

    func listen(_ listener: QueryListener) {
        let query = listener.query
        let known = self.queries[query]
        let listening = known ?? Listening()
        do throws(StorageError) {
            if known == nil {
                listening.last = try self.engine.listen(query, usesRemote: listener.usesRemote)
            } else if listener.usesRemote, !listening.usesRemote {
                try self.engine.beginRemoteListen(query)
            }
        } catch {
            return listener.failed(SyncError("The cache could not be read.", storage: error))
        }
        listening.listeners.append(listener)
        if known == nil { self.queries[query] = listening }
        var hasRaised = listener.onlineStateChanged(to: self.onlineState)
        if let last = listening.last, listener.viewChanged(last) { hasRaised = true }
        if hasRaised { self.raiseInSync() }
    }

    func unlisten(_ listener: QueryListener) {
        listener.isMuted = true
        let query = listener.query
        guard let listening = self.queries[query], listening.listeners.contains(where: { $0 === listener }) else {
            return
        }
        listening.listeners.removeAll { $0 === listener }
        guard !listening.listeners.isEmpty else {
            self.queries[query] = nil
            return self.engine.unlisten(query)
        }
        if listener.usesRemote, !listening.usesRemote { self.engine.endRemoteListen(query) }
    }

    /// The handler is called at once, and then after every round in which a listener was told something.
    func addInSyncListener(_ token: ListenerToken, _ handler: @escaping () -> Void) {
        self.inSync.append((token, handler))
        handler()
    }

    func removeInSyncListener(_ token: ListenerToken) {
        self.inSync.removeAll { $0.token == token }
    }

    /// No listener hears of anything any more.
    func end() {
        for listening in self.queries.values {
            for listener in listening.listeners { listener.isMuted = true }
        }
        self.queries = [:]
        self.inSync = []
    }

    // MARK: - What the engine says

    func viewsChanged(_ snapshots: [ViewSnapshot]) {
        var hasRaised = false
        for snapshot in snapshots {
            guard let listening = self.queries[snapshot.query] else { continue }
            listening.last = snapshot
            for listener in listening.listeners where listener.viewChanged(snapshot) { hasRaised = true }
        }
        if hasRaised { self.raiseInSync() }
    }

    func viewFailed(_ query: SyncQuery, _ error: SyncError) {
        for listener in self.queries.removeValue(forKey: query)?.listeners ?? [] { listener.failed(error) }
    }

    func onlineStateChanged(to state: OnlineState) {
        self.onlineState = state
        var hasRaised = false
        for listening in self.queries.values {
            for listener in listening.listeners where listener.onlineStateChanged(to: state) { hasRaised = true }
        }
        if hasRaised { self.raiseInSync() }
    }

    private func raiseInSync() {
        for observer in self.inSync { observer.handler() }
    }
}
