/// One document in the lock table: who holds it and who waits for it. Lives only while someone does.
final class LockEntry {
    struct Holder {
        let owner: LockOwner
        let mode: LockMode
    }

    struct Queued {
        let request: LockRequest
        /// Nil for a commit, which goes with nothing.
        let mode: LockMode?

        func conflicts(with mode: LockMode?) -> Bool {
            guard let own = self.mode, let other = mode else { return true }
            return own == .update && other == .update
        }
    }

    private(set) var holders: [Holder] = []
    /// Oldest priority first.
    private(set) var queue: [Queued] = []
    private var queuedShared = 0

    var isUnused: Bool { self.holders.isEmpty && self.queue.isEmpty }

    func mode(of owner: LockOwner) -> LockMode? {
        self.holders.first { $0.owner === owner }?.mode
    }

    func hold(_ owner: LockOwner, _ mode: LockMode) {
        self.holders.append(Holder(owner: owner, mode: mode))
    }

    func drop(_ owner: LockOwner) {
        self.holders.removeAll { $0.owner === owner }
    }

    /// Complexity: O(the queue), from its young end, where newcomers belong.
    func enqueue(_ request: LockRequest, _ mode: LockMode?) {
        var index = self.queue.endIndex
        while index > 0, request.owner.priority < self.queue[index - 1].request.owner.priority { index -= 1 }
        self.queue.insert(Queued(request: request, mode: mode), at: index)
        if mode == .shared { self.queuedShared += 1 }
    }

    func dequeue(_ request: LockRequest) {
        guard let index = self.queue.firstIndex(where: { $0.request === request }) else { return }
        if self.queue.remove(at: index).mode == .shared { self.queuedShared -= 1 }
    }

    /// The next request to grant: a holder that wants to commit, else the oldest that nothing stands in the way of.
    /// Looks no further than the first request that blocks all behind it.
    func firstGrantable(_ isGrantable: (LockRequest) -> Bool) -> LockRequest? {
        for holder in self.holders {
            for request in holder.owner.waiting where request.isCommit && isGrantable(request) { return request }
        }
        for queued in self.queue {
            if isGrantable(queued.request) { return queued.request }
            if queued.mode == nil { return nil }
            if queued.mode == .update, self.queuedShared == 0 { return nil }
        }
        return nil
    }

    /// Calls `body` with every owner for which `request` (not necessarily queued yet) would have to wait here, until it
    /// returns false.
    func forEachBlocker(of request: LockRequest, mode: LockMode?, _ body: (LockOwner) -> Bool) -> Bool {
        let owner = request.owner
        var own: LockMode?
        for holder in self.holders {
            if holder.owner === owner {
                own = holder.mode
            } else if mode == nil || (mode == .update && holder.mode == .update) {
                guard body(holder.owner) else { return false }
            }
        }
        for queued in self.queue {
            guard queued.request.owner.priority < owner.priority else { break }
            guard queued.conflicts(with: mode) else { continue }
            // Who waits for this owner's own hold cannot go before it.
            if let own, queued.conflicts(with: own) { continue }
            guard body(queued.request.owner) else { return false }
        }
        return true
    }
}
