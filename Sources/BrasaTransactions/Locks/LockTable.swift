import BrasaDocuments
import BrasaPlatform
import BrasaQueries
import BrasaStore

/// Who may read and who may commit which documents, and who waits. It decides and does nothing: the writer section,
/// which owns it, reads, applies and answers.
///
/// Every transactional read takes a shared lock, every scan a lock on its range: all documents that its query would find.
/// A commit needs its documents free of everyone else's, all at once, and must neither change a document in another's
/// range nor bring one there. What is asked for together is granted together, so a request that waits holds nothing new.
///
/// **Who waits, who loses.** Everyone has a priority, the moment of the first read; a plain commit's is its arrival, so it
/// is younger than every transaction whose locks it meets. Queues are in order of priority, which is first come, first
/// served but for retries and for transactions that read elsewhere before. A commit takes the locks of younger holders
/// away ("wounds" them) and waits for older ones; a read waits behind an older commit and passes a younger one. So
/// everybody waits for older ones only, and no circle can form.
///
/// **Documents that many read in order to write.** With shared locks alone, of eight transactions that read a counter and
/// then write it, the oldest aborts seven. When a document has cost some transactions their locks (`ContentionHeat`),
/// its reads take update locks for a while: one holder at a time, the others wait their turn and then read what it
/// wrote. Such a read may wait for a *younger* holder, whom it would be wasteful to wound. Only then can a circle form,
/// so as long as someone waits that way each new wait in that database looks for one, and its youngest member is wounded.
///
/// **Ranges and what changes meanwhile.** What a waiting commit would do depends on documents that others may change before
/// it. When its turn comes it may so meet the range of a younger one, and takes that away then.
struct LockTable {
    var entries: [LockKey: LockEntry] = [:]
    var databases: [DatabaseHandle: DatabaseLocks] = [:]
    var heat = ContentionHeat()
    let previews: CommitPreviews
    /// Documents and databases where a lock was let go, a request left or a document changes since `nextGranted` last
    /// returned nil. Each is there once.
    var changedKeys: [LockKey] = []
    var changedDatabases: [DatabaseHandle] = []
    /// How many there are, by database: no circle goes through two of those.
    var readsWaitingForYounger: [DatabaseHandle: Int] = [:]
    var rangeTokens: UInt64 = 0

    var waitingCount = 0
    /// What the requests that wait take in memory, about.
    var waitingBytes = 0
    /// How much the searches for circles have looked at so far.
    var circleSteps = 0
    /// How often a document is held, by however many.
    var heldDocuments = 0

    init(previews: CommitPreviews) {
        self.previews = previews
    }

    var entryCount: Int { self.entries.count }

    func rangeCount(in database: DatabaseHandle) -> Int {
        self.databases[database]?.rangeCount ?? 0
    }

    // MARK: Asking

    /// Whether nobody holds anything or waits: the way of nearly all commits.
    var isEmpty: Bool { self.entries.isEmpty && self.databases.isEmpty }

    /// Whether a plain commit meets nobody at all.
    func isFree(_ keys: [LockKey], in database: DatabaseHandle) -> Bool {
        if let locks = self.databases[database] {
            guard locks.isFree(keys) else { return false }
        }
        return keys.allSatisfy { self.entries[$0] == nil }
    }

    /// The locks that reading `paths` needs beyond those that `owner` has.
    func locksForReading(
        _ paths: [ResourcePath],
        by owner: LockOwner,
        now: MonotonicTime
    ) -> [(key: LockKey, mode: LockMode)] {
        var locks: [(key: LockKey, mode: LockMode)] = []
        locks.reserveCapacity(paths.count)
        for path in paths {
            let key = LockKey(database: owner.database, path: path)
            if self.entries[key]?.mode(of: owner) != nil { continue }
            locks.append((key, self.heat.isHot(key, now: now) ? .update : .shared))
        }
        return locks
    }

    typealias Wounded = (owner: LockOwner, requests: [LockRequest])

    struct Decision {
        var isGranted: Bool
        /// Their locks are gone, and these requests of theirs with them.
        var wounded: [Wounded] = []
    }

    /// Grants the request or queues it. Afterwards `nextGranted` may have something.
    mutating func acquire(_ request: LockRequest, now: MonotonicTime) -> Decision {
        if case .commit(let keys) = request.kind { self.noteUpgradeConflicts(of: request, keys: keys, now: now) }
        var decision = Decision(isGranted: false)
        if request.owner.transaction != nil { decision.wounded = self.woundYounger(inTheWayOf: request) }
        if self.isGrantable(request) {
            self.grant(request, now: now)
            decision.isGranted = true
            return decision
        }
        self.enqueue(request)
        while self.readsWaitingForYounger[request.owner.database] != nil, request.isWaiting,
            let victim = self.youngestInCircle(closedBy: request)
        {
            decision.wounded.append(self.wound(victim))
        }
        return decision
    }

    /// The next waiting request that can be granted, granted, and whom that costs their locks. A commit must be applied and
    /// released before the next call.
    mutating func nextGranted(now: MonotonicTime) -> (request: LockRequest, wounded: [Wounded])? {
        while let key = self.changedKeys.last {
            if let request = self.entries[key]?.firstGrantable(self.isGrantable) {
                return self.grantWaiting(request, now: now)
            }
            self.entries[key]?.isToBeLookedAt = false
            self.changedKeys.removeLast()
        }
        while let database = self.changedDatabases.last {
            if let request = self.databases[database]?.nextGrantable(self.isGrantable) {
                return self.grantWaiting(request, now: now)
            }
            self.changedDatabases.removeLast()
        }
        return nil
    }

    private mutating func grantWaiting(
        _ request: LockRequest,
        now: MonotonicTime
    ) -> (request: LockRequest, wounded: [Wounded]) {
        self.dequeue(request)
        let wounded = self.woundYounger(inTheWayOf: request)
        self.grant(request, now: now)
        return (request, wounded)
    }

    // MARK: Letting go

    /// Takes a request that waits out of the queues.
    mutating func cancel(_ request: LockRequest) {
        self.dequeue(request)
    }

    /// Lets go of everything that `owner` holds or waits for.
    @discardableResult
    mutating func release(_ owner: LockOwner) -> [LockRequest] {
        let requests = owner.waiting
        for request in requests { self.dequeue(request) }
        self.heldDocuments -= owner.keys.count
        for key in owner.keys {
            guard let entry = self.entries[key] else { continue }
            entry.drop(owner)
            self.changed(key, entry)
        }
        owner.keys = []
        if owner.holdsRanges, let locks = self.databases[owner.database] {
            locks.release(owner)
            self.changed(owner.database, locks, from: .oldest)
        }
        return requests
    }

    /// A commit takes what it needs from younger ones.
    private mutating func woundYounger(inTheWayOf request: LockRequest) -> [Wounded] {
        self.youngerHolders(inTheWayOf: request).map { self.wound($0) }
    }

    private mutating func wound(_ owner: LockOwner) -> Wounded {
        owner.isWounded = true
        return (owner, self.release(owner))
    }
}
