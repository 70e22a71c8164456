package import BrasaDocuments

/// The engine's door. Everything is called on the scheduler's executor, and all handlers run there; they must not call
/// back inside the call.
package final class SyncClient {
    package init(
        database: DatabaseName,
        configuration: SyncConfiguration,
        storage: any SyncStorage,
        scheduler: any SyncScheduler,
        transport: any SyncTransport
    ) {
    }

    package func listen(
        _ query: SyncQuery,
        options: ListenOptions = ListenOptions(),
        handler: @escaping (Result<ViewSnapshot, SyncError>) -> Void
    ) -> ListenerToken { ListenerToken(number: 0) }

    package func unlisten(_ token: ListenerToken) {}

    package func write(_ writes: [Write], completion: @escaping (SyncError?) -> Void) {}

    package func getDocument(
        _ path: ResourcePath,
        source: ReadSource = .default,
        completion: @escaping (Result<DocumentRead, SyncError>) -> Void
    ) {}

    package func getDocuments(
        _ query: SyncQuery,
        source: ReadSource = .default,
        completion: @escaping (Result<ViewSnapshot, SyncError>) -> Void
    ) {}

    package func enableNetwork(completion: @escaping () -> Void) {}
    package func disableNetwork(completion: @escaping () -> Void) {}
    package func waitForPendingWrites(completion: @escaping (SyncError?) -> Void) {}
    package func addSnapshotsInSyncListener(_ handler: @escaping () -> Void) -> ListenerToken {
        ListenerToken(number: 0)
    }
    package func removeSnapshotsInSyncListener(_ token: ListenerToken) {}
    package func setUser(_ user: SyncUser) {}
    package func connectivityChanged() {}
    package func terminate(completion: @escaping () -> Void) {}
}
