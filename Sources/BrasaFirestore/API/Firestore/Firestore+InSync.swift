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

// @unchecked: `token` is touched on the executor only, the listener is called by one job after the other.
private final class InSyncHandle: ListenerRegistration, @unchecked Sendable {
    private let core: ClientCore
    private let listener: () -> Void
    private let isRemoved = Atomic(false)
    private let rounds = Mutex(Rounds.none)
    private var token: ListenerToken?

    /// Those of which the listener has not heard. There is one job on the queue for all of them.
    private enum Rounds {
        case none
        case queued
        /// And one more after the job was put on the queue: behind what other listeners are told of it comes another job.
        case queuedAndMore
    }

    init(core: ClientCore, listener: @escaping () -> Void) {
        self.core = core
        self.listener = listener
    }

    func begin() {
        self.core.run { client in
            guard !self.isRemoved.load(ordering: .acquiring) else { return }
            self.token = client.addSnapshotsInSyncListener { self.post() }
        }
    }

    private func post() {
        let isFirst = self.rounds.withLock { rounds in
            defer { rounds = rounds == .none ? .queued : .queuedAndMore }
            return rounds == .none
        }
        if isFirst { self.core.tellLast { self.call() } }
    }

    private func call() {
        if !self.isRemoved.load(ordering: .acquiring) { self.listener() }
        let isMore = self.rounds.withLock { rounds in
            defer { rounds = rounds == .queuedAndMore ? .queued : .none }
            return rounds == .queuedAndMore
        }
        if isMore { self.core.tellLast { self.call() } }
    }

    func remove() {
        guard !self.isRemoved.exchange(true, ordering: .acquiringAndReleasing) else { return }
        self.core.run { client in
            if let token = self.token { client.removeSnapshotsInSyncListener(token) }
            self.token = nil
        }
    }
}
