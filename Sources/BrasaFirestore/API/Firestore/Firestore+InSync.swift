internal import BrasaApp
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

private final class InSyncHandle: ListenerRegistration {
    private let core: ClientCore
    /// Called by one job after the other.
    private let listener: Handed<() -> Void>
    private let isRemoved = Atomic(false)
    private let rounds = Mutex(Rounds.none)
    private let token = Mutex<ListenerToken?>(nil)

    /// Those of which the listener has not heard. There is one job on the queue for all of them.
    private enum Rounds {
        case none
        case queued
        /// And one more after the job was put on the queue: behind what other listeners are told of it comes another job.
        case queuedAndMore
    }

    init(core: ClientCore, listener: @escaping () -> Void) {
        self.core = core
        self.listener = Handed(listener)
    }

    func begin() {
        self.core.run { client in
            guard !self.isRemoved.load(ordering: .acquiring) else { return }
            let token = client.addSnapshotsInSyncListener { self.post() }
            self.token.withLock { $0 = token }
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
        if !self.isRemoved.load(ordering: .acquiring) { self.listener.value() }
        let isMore = self.rounds.withLock { rounds in
            defer { rounds = rounds == .queuedAndMore ? .queued : .none }
            return rounds == .queuedAndMore
        }
        if isMore { self.core.tellLast { self.call() } }
    }

    func remove() {
        guard !self.isRemoved.exchange(true, ordering: .acquiringAndReleasing) else { return }
        self.core.run { client in
            if let token = self.token.withLock({ $0.take() }) { client.removeSnapshotsInSyncListener(token) }
        }
    }
}
