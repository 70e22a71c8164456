import BrasaDocuments
import BrasaStore

/// The database that was asked for last on an event loop: nearly every call names the same, and the store's list of them
/// belongs to all loops. It keeps that one in the store.
///
/// Unchecked, because it is used on the loop only.
final class LastDatabase: @unchecked Sendable {
    private var handle: DatabaseHandle?

    func handle(_ name: DatabaseName, in store: Store) -> DatabaseHandle {
        if let handle = self.handle, handle.name == name { return handle }
        let handle = store.database(name)
        self.handle = handle
        return handle
    }
}
