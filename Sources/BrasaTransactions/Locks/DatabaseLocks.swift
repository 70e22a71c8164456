import BrasaQueries

/// A range that a transaction has scanned: nobody else changes what is in it or brings something into it.
final class RangeHold: Owned {
    let owner: LockOwner
    let token: UInt64
    let range: QueryRange
    /// Until it is let go, or narrowed and so replaced by another.
    var isHeld = true

    init(owner: LockOwner, token: UInt64, range: QueryRange) {
        self.owner = owner
        self.token = token
        self.range = range
    }
}

/// What is locked or waits in one database beyond single documents: the ranges that transactions have scanned, so that no
/// phantom enters them, and the requests that such ranges meet.
final class DatabaseLocks {
    private var holds: [UInt64: RangeHold] = [:]
    private var holdsByRange = RangeIndex<RangeHold>()
    private(set) var waitingScans = WaitingLine<LockRequest>()
    private(set) var waitingCommits = WaitingLine<LockRequest>()
    /// Something changed for requests that are not older than this. In `LockTable.changedDatabases` when not nil.
    private(set) var lookFrom: LockPriority?

    var rangeCount: Int { self.holds.count }
    var isUnused: Bool { self.holds.isEmpty && self.waitingScans.isEmpty && self.waitingCommits.isEmpty }
    var hasWaiting: Bool { !self.waitingScans.isEmpty || !self.waitingCommits.isEmpty }

    /// Whether a commit of these documents meets no range at all, not even by name.
    func isFree(_ keys: [LockKey]) -> Bool {
        guard self.waitingScans.isEmpty else { return false }
        guard !self.holds.isEmpty else { return true }
        return keys.allSatisfy { key in
            !self.holdsByRange.elements(around: key.path).contains { $0.range.mayContain(key.path) }
        }
    }

    // MARK: Holding

    func hold(_ range: QueryRange, _ token: UInt64, by owner: LockOwner) {
        owner.rangeTokens.append(token)
        self.insert(RangeHold(owner: owner, token: token, range: range))
    }

    /// Whether there was such a hold.
    func narrow(_ token: UInt64, of owner: LockOwner, to range: QueryRange) -> Bool {
        guard let hold = self.holds[token], hold.owner === owner else { return false }
        self.letGo(of: hold)
        self.insert(RangeHold(owner: owner, token: token, range: range))
        return true
    }

    func release(_ owner: LockOwner) {
        for token in owner.rangeTokens {
            if let hold = self.holds[token] { self.letGo(of: hold) }
        }
        owner.rangeTokens = []
    }

    private func insert(_ hold: RangeHold) {
        self.holds[hold.token] = hold
        self.holdsByRange.insert(hold, hold.token, in: hold.range.names)
    }

    private func letGo(of hold: RangeHold) {
        hold.isHeld = false
        self.holds[hold.token] = nil
        self.holdsByRange.remove(hold.token, from: hold.range.names)
    }

    /// Those that may have one of the documents, the oldest first.
    func holds(around keys: [LockKey]) -> [RangeHold] {
        guard !self.holds.isEmpty else { return [] }
        var found: [UInt64: RangeHold] = [:]
        for key in keys {
            for hold in self.holdsByRange.elements(around: key.path) where hold.range.mayContain(key.path) {
                found[hold.token] = hold
            }
        }
        return found.values.sorted { $0.token < $1.token }
    }

    /// All of them, by the age of their owners.
    func holdsByAge() -> [RangeHold] {
        self.holds.values.sorted { ($0.owner.priority, $0.token) < ($1.owner.priority, $1.token) }
    }

    // MARK: Waiting

    func enqueue(_ request: LockRequest) {
        switch request.kind {
        case .read: break
        case .scan: self.waitingScans.join(request)
        case .commit: self.waitingCommits.join(request)
        }
    }

    /// Of a request that no longer waits.
    func dequeue(_ request: LockRequest) {
        request.waitsFor = nil
        switch request.kind {
        case .read: break
        case .scan: self.waitingScans.hasLeft()
        case .commit: self.waitingCommits.hasLeft()
        }
    }

    /// Requests from here on may have become grantable. Says whether that is news.
    func lookAgain(from priority: LockPriority) -> Bool {
        guard let before = self.lookFrom else {
            self.lookFrom = priority
            return true
        }
        self.lookFrom = min(before, priority)
        return false
    }

    /// The oldest request that can go ahead now; nil, and nothing more to look at, when there is none. A request that was
    /// granted stands in nobody's way who is older, so the search goes on where it stopped.
    func nextGrantable(_ isGrantable: (LockRequest) -> Bool) -> LockRequest? {
        guard let priority = self.lookFrom else { return nil }
        var scan: LockRequest?
        _ = self.waitingScans.forEach(from: priority) { request in
            scan = self.isHeldBack(request) || !isGrantable(request) ? nil : request
            return scan == nil
        }
        var commit: LockRequest?
        _ = self.waitingCommits.forEach(from: priority) { request in
            if let scan, scan.owner.priority < request.owner.priority { return false }
            commit = self.isHeldBack(request) || !isGrantable(request) ? nil : request
            return commit == nil
        }
        let next = commit ?? scan
        self.lookFrom = next?.owner.priority
        return next
    }

    /// Whether what the request was last found to wait for is there still, so that no commit need be worked out for it.
    private func isHeldBack(_ request: LockRequest) -> Bool {
        switch request.waitsFor {
        case .range(let hold): hold.isHeld
        case .commit(let commit): commit.isWaiting
        case nil: false
        }
    }

    // MARK: Who stands in the way

    /// Owners for which a commit has to wait because it would change what they have scanned, or are about to.
    func forEachBlocker(
        ofCommit request: LockRequest,
        _ previews: CommitPreviews,
        _ body: (LockOwner) -> Bool
    ) -> Bool {
        guard case .commit(let keys) = request.kind else { return true }
        for hold in self.holds(around: keys) where hold.owner !== request.owner {
            guard previews.conflicts(request, with: hold.range) else { continue }
            guard body(hold.owner) else {
                request.waitsFor = .range(hold)
                return false
            }
        }
        var isDone = true
        _ = self.waitingScans.forEach { scan in
            guard scan.owner.priority < request.owner.priority else { return false }
            guard case .scan(let range) = scan.kind, previews.conflicts(request, with: range) else { return true }
            isDone = body(scan.owner)
            return isDone
        }
        return isDone
    }

    /// Owners of older commits that a scan has to let pass.
    func forEachBlocker(
        ofScan request: LockRequest,
        range: QueryRange,
        _ previews: CommitPreviews,
        _ body: (LockOwner) -> Bool
    ) -> Bool {
        var isDone = true
        _ = self.waitingCommits.forEach { commit in
            guard commit.owner.priority < request.owner.priority else { return false }
            guard previews.conflicts(commit, with: range) else { return true }
            isDone = body(commit.owner)
            if !isDone { request.waitsFor = .commit(commit) }
            return isDone
        }
        return isDone
    }
}
