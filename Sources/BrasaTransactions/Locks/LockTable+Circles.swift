extension LockTable {
    /// What one search may spend on finding out which commits meet which ranges (see `WaitSearch`): 16,384 names that are
    /// compared, or about 500 writes that are worked out.
    static let circleEffortMax = 16_384

    /// The youngest member of a circle that a request which has just begun to wait has closed; nil when there is none.
    ///
    /// Nearly all searches end with the first look, which takes every commit to meet every range: it works nothing out.
    mutating func youngestInCircle(closedBy request: LockRequest) -> LockOwner? {
        guard self.mayBeWaitedFor(request) else { return nil }
        let first = WaitSearch(effort: 0)
        guard let youngest = self.youngestInCircle(through: request.owner, first) else { return nil }
        guard first.hasAssumed else { return youngest }
        return self.youngestInCircle(through: request.owner, WaitSearch(effort: Self.circleEffortMax))
    }

    private mutating func youngestInCircle(through owner: LockOwner, _ search: WaitSearch) -> LockOwner? {
        defer { self.circleSteps += search.steps }
        return WaitCircle.youngest(from: owner, search) { self.blockers(of: $0, search) }
    }

    /// More locks than these are not looked through.
    private static let keysMax = 64

    /// False: nobody waits for the request's owner, so it is in no circle. That is so for most who join a line: they hold
    /// nothing, and stand at its end.
    private func mayBeWaitedFor(_ request: LockRequest) -> Bool {
        let owner = request.owner
        if owner.waiting.count > 1 || owner.keys.count > Self.keysMax { return true }
        if owner.keys.contains(where: { self.entries[$0]?.queue.isEmpty == false }) { return true }
        let locks = self.databases[owner.database]
        if owner.holdsRanges, let locks, !locks.waitingCommits.isEmpty { return true }
        switch request.kind {
        case .read(let reads): return reads.contains { self.entries[$0.key]?.isLast(request) == false }
        case .scan: return locks?.waitingCommits.isYoungest(owner.priority) == false
        case .commit(let keys):
            if locks?.waitingScans.isYoungest(owner.priority) == false { return true }
            return keys.contains { self.entries[$0]?.isLast(request) == false }
        }
    }

    /// Owners that `owner` waits for and that the search has not listed before, with repetitions.
    private func blockers(of owner: LockOwner, _ search: WaitSearch) -> [LockOwner] {
        var blockers: [LockOwner] = []
        for request in owner.waiting {
            _ = self.forEachBlocker(of: request, in: search) {
                blockers.append($0)
                return true
            }
        }
        return blockers
    }
}
