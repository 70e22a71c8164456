internal import BrasaSync
internal import Synchronization

extension Firestore {
    /// Calls the listener each time all listeners that one change concerns have been told of it. That says nothing about
    /// being in step with the server.
    @discardableResult
    public func addSnapshotsInSyncListener(_ listener: @escaping () -> Void) -> any ListenerRegistration {
        let core = trapping { () throws(UsageError) in try self.core() }
        let handle = InSyncHandle(core: core, listener: listener)
        handle.begin()
        return handle
    }
}

// @unchecked: `token` is touched on the executor only, the listener is called on the user's queue only.
private final class InSyncHandle: ListenerRegistration, @unchecked Sendable {
    private let core: ClientCore
    private let listener: () -> Void
    private let isRemoved = Atomic(false)
    private var token: ListenerToken?

    init(core: ClientCore, listener: @escaping () -> Void) {
        self.core = core
        self.listener = listener
    }

    func begin() {
        self.core.run { client in
            guard !self.isRemoved.load(ordering: .acquiring) else { return }
            self.token = client.addSnapshotsInSyncListener { self.core.tell { self.call() } }
        }
    }

    private func call() {
        if !self.isRemoved.load(ordering: .acquiring) { self.listener() }
    }

    func remove() {
        guard !self.isRemoved.exchange(true, ordering: .acquiringAndReleasing) else { return }
        self.core.run { client in
            if let token = self.token { client.removeSnapshotsInSyncListener(token) }
            self.token = nil
        }
    }
}
