internal import BrasaSync
internal import Synchronization

extension ClientCore {
    /// Begins to listen. `post` gets the events on the executor, none after the handle was removed; `removed` is called
    /// once, also when the client is terminated.
    func listen(
        _ query: Result<SyncQuery, SyncError>,
        _ options: SnapshotListenOptions,
        post: @escaping @Sendable (EventQueue.Event) -> Void,
        removed: @escaping @Sendable () -> Void
    ) -> ListenerHandle {
        let handle = ListenerHandle(core: self, removed: removed)
        self.run { client in
            switch query {
            case .failure(let error): post(.failure(error))
            case .success(let query): handle.listen(client, query, ListenOptions(options), post)
            }
        }
        return handle
    }
}

extension ListenOptions {
    fileprivate init(_ options: SnapshotListenOptions) {
        self.init(
            includeMetadataChanges: options.includeMetadataChanges,
            source: options.source == .cache ? .cache : .default
        )
    }
}

/// One listener of the engine. It lives until it is removed, whoever holds it.
final class ListenerHandle: ListenerRegistration {
    private let core: ClientCore
    private let removed: @Sendable () -> Void
    private let isRemoved = Atomic(false)
    private let token = Mutex<ListenerToken?>(nil)

    fileprivate init(core: ClientCore, removed: @escaping @Sendable () -> Void) {
        self.core = core
        self.removed = removed
    }

    fileprivate func listen(
        _ client: SyncClient,
        _ query: SyncQuery,
        _ options: ListenOptions,
        _ post: @escaping @Sendable (EventQueue.Event) -> Void
    ) {
        guard !self.isRemoved.load(ordering: .acquiring) else { return }
        let token = client.listen(query, options: options, ended: { _ = self.end() }) { event in post(event) }
        self.token.withLock { $0 = token }
    }

    /// Whether it had not ended before.
    private func end() -> Bool {
        guard !self.isRemoved.exchange(true, ordering: .acquiringAndReleasing) else { return false }
        self.removed()
        return true
    }

    func remove() {
        guard self.end() else { return }
        self.core.run { client in
            if let token = self.token.withLock({ $0.take() }) { client.unlisten(token) }
        }
    }
}
