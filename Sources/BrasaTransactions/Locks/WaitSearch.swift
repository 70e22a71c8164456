import BrasaQueries

/// What one search for a circle has seen, so that it looks at each place in a line once, however many wait behind it, and
/// at each range, scan and commit of the database once, or as often as its effort allows.
///
/// **Lines of documents.** A commit waits for all who are older and for all holders, a read with an update lock for a part
/// of those, one with a shared lock for a part of that. So what was listed for one of them need not be listed again for a
/// request before it in the line that wants no more.
///
/// **Ranges.** Which commits meet which ranges has to be found out pair by pair, and may need the commit worked out. When
/// a search has spent its effort on that, it takes each older one to stand in the way: it misses no circle, but may find
/// one where there is none.
final class WaitSearch {
    private struct Line {
        /// By `rank`: everybody who is older than this was listed.
        var olderThan: [LockPriority?] = [nil, nil, nil]
        /// The rank for which the holders were listed.
        var holders = 0
    }

    /// What working out one write costs, if comparing a document's name with a range costs one.
    private static let effortOfWrite = 32

    private var visited: Set<ObjectIdentifier> = []
    private var lines: [ObjectIdentifier: Line] = [:]
    /// Of the only database where the circle can be; nil until somebody asks.
    private var holds: UnlistedLocks<RangeHold>?
    private var scans: UnlistedLocks<LockRequest>?
    private var commits: UnlistedLocks<LockRequest>?
    private var effort: Int
    /// Whether somebody was taken to stand in the way without finding out.
    private(set) var hasAssumed = false
    /// How many places in lines and holds were looked at.
    private(set) var steps = 0

    init(effort: Int) {
        self.effort = effort
    }

    /// Whether it is the first visit.
    func visit(_ owner: LockOwner) -> Bool { self.visited.insert(ObjectIdentifier(owner)).inserted }

    func step() { self.steps += 1 }

    // MARK: Lines of documents

    /// Who is older than this in the line was listed already for a request that waits for as many.
    func listed(on entry: LockEntry, for mode: LockMode?) -> LockPriority? {
        self.lines[ObjectIdentifier(entry)]?.olderThan[Self.rank(mode)]
    }

    func hasListedHolders(of entry: LockEntry, for mode: LockMode?) -> Bool {
        (self.lines[ObjectIdentifier(entry)]?.holders ?? 0) >= Self.rank(mode)
    }

    /// All are listed for whom a request of that mode and priority waits there, if its owner holds nothing of it itself.
    func noteListed(on entry: LockEntry, for mode: LockMode?, of priority: LockPriority) {
        let rank = Self.rank(mode)
        var line = self.lines[ObjectIdentifier(entry)] ?? Line()
        for lower in 0...rank { line.olderThan[lower] = max(line.olderThan[lower] ?? .oldest, priority) }
        line.holders = max(line.holders, rank)
        self.lines[ObjectIdentifier(entry)] = line
    }

    private static func rank(_ mode: LockMode?) -> Int {
        switch mode {
        case .shared?: 0
        case .update?: 1
        case nil: 2
        }
    }

    // MARK: Ranges

    /// Older owners that a commit waits for because of what they have scanned or are about to, and that were not listed
    /// before. Whom it would rather wound when its turn comes is not among them.
    func listBlockers(ofCommit commit: LockRequest, in locks: DatabaseLocks, _ previews: CommitPreviews) -> [LockOwner]
    {
        let holds = self.holds ?? UnlistedLocks(locks.holdsByAge())
        let scans = self.scans ?? UnlistedLocks(locks.waitingScans.all)
        (self.holds, self.scans) = (holds, scans)
        let priority = commit.owner.priority
        return holds.take(olderThan: priority) { self.conflicts(commit, with: $0, previews) }
            + scans.take(olderThan: priority) { self.conflicts(commit, with: $0, previews) }
    }

    /// Owners of older commits that a scan has to let pass, and that were not listed before.
    func listBlockers(ofScan scan: LockRequest, in locks: DatabaseLocks, _ previews: CommitPreviews) -> [LockOwner] {
        let commits = self.commits ?? UnlistedLocks(locks.waitingCommits.all)
        self.commits = commits
        return commits.take(olderThan: scan.owner.priority) { self.conflicts($0, with: scan, previews) }
    }

    private func conflicts(_ commit: LockRequest, with hold: RangeHold, _ previews: CommitPreviews) -> Bool {
        self.step()
        // It waits for that in any case, whatever it would do by now.
        if case .range(let known) = commit.waitsFor, known === hold { return true }
        return self.conflicts(commit, with: hold.range, previews)
    }

    private func conflicts(_ commit: LockRequest, with scan: LockRequest, _ previews: CommitPreviews) -> Bool {
        self.step()
        if case .commit(let known) = scan.waitsFor, known === commit { return true }
        guard case .scan(let range) = scan.kind else { return false }
        return self.conflicts(commit, with: range, previews)
    }

    private func conflicts(_ commit: LockRequest, with range: QueryRange, _ previews: CommitPreviews) -> Bool {
        guard case .commit(let keys) = commit.kind else { return false }
        guard self.effort > 0 else {
            self.hasAssumed = true
            return true
        }
        let before = previews.workedOut
        let conflicts = previews.conflicts(commit, with: range)
        self.effort -= max(keys.count, 1) + Self.effortOfWrite * (previews.workedOut - before)
        return conflicts
    }
}

/// The locks of one kind that a search has not listed yet, oldest first.
private final class UnlistedLocks<Element: Owned> {
    private var elements: [Element]
    private var head = 0

    init(_ elements: [Element]) {
        self.elements = elements
    }

    /// The owners of those that are older than `priority` and stand in the way. They are not listed again.
    ///
    /// Complexity: O(those that are older and not listed yet).
    func take(olderThan priority: LockPriority, _ standsInTheWay: (Element) -> Bool) -> [LockOwner] {
        var owners: [LockOwner] = []
        var kept: [Element] = []
        var index = self.head
        while index < self.elements.count, self.elements[index].owner.priority < priority {
            let element = self.elements[index]
            if standsInTheWay(element) { owners.append(element.owner) } else { kept.append(element) }
            index += 1
        }
        self.head = index - kept.count
        self.elements.replaceSubrange(self.head..<index, with: kept)
        return owners
    }
}
