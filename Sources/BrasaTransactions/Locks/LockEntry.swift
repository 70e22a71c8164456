/// One document in the lock table: who holds it and who waits for it. Lives only while someone does.
final class LockEntry {
    struct Queued: Waiting {
        let request: LockRequest
        /// Nil for a commit, which goes with nothing.
        let mode: LockMode?

        func conflicts(with mode: LockMode?) -> Bool {
            guard let own = self.mode, let other = mode else { return true }
            return own == .update && other == .update
        }
    }

    private(set) var holders = LockHolders()
    private(set) var queue = WaitingLine<Queued>()
    private var queuedShared = 0
    /// In `LockTable.changedKeys`.
    var isToBeLookedAt = false

    var isUnused: Bool { self.holders.isEmpty && self.queue.isEmpty }

    func mode(of owner: LockOwner) -> LockMode? { self.holders.mode(of: owner) }

    func hold(_ owner: LockOwner, _ mode: LockMode) {
        self.holders.add(owner, mode)
    }

    func drop(_ owner: LockOwner) {
        self.holders.remove(owner)
    }

    func enqueue(_ request: LockRequest, _ mode: LockMode?) {
        self.queue.join(Queued(request: request, mode: mode))
        if mode == .shared { self.queuedShared += 1 }
    }

    /// Of a request that no longer waits.
    func dequeue(_ mode: LockMode?) {
        self.queue.hasLeft()
        if mode == .shared { self.queuedShared -= 1 }
    }

    /// The next request to grant: the only holder's commit, else the oldest that nothing stands in the way of.
    /// Looks no further than the first request that blocks all behind it.
    func firstGrantable(_ isGrantable: (LockRequest) -> Bool) -> LockRequest? {
        if let holder = self.holders.only {
            for request in holder.owner.waiting where request.isCommit && isGrantable(request) { return request }
        }
        var found: LockRequest?
        _ = self.queue.forEach { queued in
            if isGrantable(queued.request) {
                found = queued.request
                return false
            }
            return queued.mode == .shared || queued.mode == .update && self.queuedShared > 0
        }
        return found
    }

    /// Calls `body` with every owner for which `request` (not necessarily queued yet) would have to wait here, until it
    /// returns false.
    ///
    /// Complexity: O(1) for a read with a shared lock, beside the queue of older requests. In a search for circles, those
    /// that it has listed here before are left out.
    func forEachBlocker(
        of request: LockRequest,
        mode: LockMode?,
        in search: WaitSearch? = nil,
        _ body: (LockOwner) -> Bool
    ) -> Bool {
        let owner = request.owner
        if mode != .shared, search?.hasListedHolders(of: self, for: mode) != true {
            for holder in self.holders.all where holder.owner !== owner {
                search?.step()
                guard mode == nil || holder.mode == .update else { continue }
                guard body(holder.owner) else { return false }
            }
        }
        guard search != nil || !self.queue.isEmpty else { return true }
        let own = self.holders.mode(of: owner)
        var isDone = true
        _ = self.queue.forEach(from: search?.listed(on: self, for: mode)) { queued in
            search?.step()
            guard queued.request.owner.priority < owner.priority else { return false }
            guard queued.conflicts(with: mode) else { return true }
            // Who waits for this owner's own hold cannot go before it.
            if let own, queued.conflicts(with: own) { return true }
            isDone = body(queued.request.owner)
            return isDone
        }
        if let search, own == nil { search.noteListed(on: self, for: mode, of: owner.priority) }
        return isDone
    }

    /// Whether nobody in the line is younger, and so waits for it there.
    func isLast(_ request: LockRequest) -> Bool { self.queue.isYoungest(request.owner.priority) }
}
