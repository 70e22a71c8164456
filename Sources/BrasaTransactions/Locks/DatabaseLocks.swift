import BrasaQueries

/// What is locked or waits in one database beyond single documents: the ranges that transactions have scanned, so that no
/// phantom enters them, and the requests that such ranges meet.
final class DatabaseLocks {
    struct RangeHold {
        let owner: LockOwner
        let token: UInt64
        var range: NameRange
    }

    var ranges: [RangeHold] = []
    var waitingScans: [LockRequest] = []
    var waitingCommits: [LockRequest] = []

    var isUnused: Bool { self.ranges.isEmpty && self.waitingScans.isEmpty && self.waitingCommits.isEmpty }

    func enqueue(_ request: LockRequest) {
        switch request.kind {
        case .read: break
        case .scan: self.waitingScans.append(request)
        case .commit: self.waitingCommits.append(request)
        }
    }

    func dequeue(_ request: LockRequest) {
        switch request.kind {
        case .read: break
        case .scan: self.waitingScans.removeAll { $0 === request }
        case .commit: self.waitingCommits.removeAll { $0 === request }
        }
    }

    /// Scans first: they exclude nobody but commits, and they are as old as the commits that they wait for are.
    func firstGrantable(_ isGrantable: (LockRequest) -> Bool) -> LockRequest? {
        let byAge = (self.waitingScans + self.waitingCommits).sorted { $0.owner.priority < $1.owner.priority }
        return byAge.first(where: isGrantable)
    }

    /// Owners for which a commit of `keys` has to wait because it would change what they have scanned, or are about to.
    func forEachBlocker(ofCommit request: LockRequest, keys: [LockKey], _ body: (LockOwner) -> Bool) -> Bool {
        for hold in self.ranges where hold.owner !== request.owner {
            guard !keys.contains(where: { hold.range.contains($0.path) }) || body(hold.owner) else { return false }
        }
        for scan in self.waitingScans where scan.owner.priority < request.owner.priority {
            guard case .scan(let range) = scan.kind, keys.contains(where: { range.contains($0.path) }) else { continue }
            guard body(scan.owner) else { return false }
        }
        return true
    }

    /// Owners of older commits that a scan has to let pass.
    func forEachBlocker(ofScan request: LockRequest, range: NameRange, _ body: (LockOwner) -> Bool) -> Bool {
        for commit in self.waitingCommits where commit.owner.priority < request.owner.priority {
            guard case .commit(let keys) = commit.kind, keys.contains(where: { range.contains($0.path) }) else {
                continue
            }
            guard body(commit.owner) else { return false }
        }
        return true
    }
}
