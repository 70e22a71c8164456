import BrasaDocuments
import BrasaPlatform
import BrasaQueries
import BrasaStore

/// A transaction, or a plain commit, as the lock table sees it. Guarded by the manager's lock, like the table.
final class LockOwner {
    let priority: LockPriority
    let database: DatabaseHandle
    /// Nil for a plain commit.
    let transaction: TransactionID?
    /// Documents held. The mode is kept in the table.
    var keys: [LockKey] = []
    /// Of the ranges that it holds.
    var rangeTokens: [UInt64] = []
    var holdsRanges: Bool { !self.rangeTokens.isEmpty }
    /// Several when a client reads in parallel.
    var waiting: [LockRequest] = []
    /// An older transaction took its locks away; what it has read still holds for the moment when that happened.
    var isWounded = false

    init(priority: LockPriority, database: DatabaseHandle, transaction: TransactionID? = nil) {
        self.priority = priority
        self.transaction = transaction
        self.database = database
    }
}

/// What belongs to a transaction or a plain commit.
protocol Owned {
    var owner: LockOwner { get }
}

/// Locks that are asked for together and granted together.
final class LockRequest: Waiting, Owned {
    enum Kind {
        case read([(key: LockKey, mode: LockMode)])
        case scan(QueryRange)
        case commit([LockKey])
    }

    /// What a request was found to wait for that takes work to find out.
    enum Obstacle {
        case range(RangeHold)
        case commit(LockRequest)
    }

    let owner: LockOwner
    let kind: Kind
    /// What the manager does once it is granted. Dropped when the request ends, whatever may still refer to it.
    var work: PendingWork?
    /// Nil until it waits.
    var deadline: MonotonicTime?
    func isOverdue(_ now: MonotonicTime) -> Bool { self.deadline.map { $0 <= now } ?? false }

    /// Counted against the bound on waiting bytes.
    var countedBytes = 0
    var isWaiting = false
    var waitsFor: Obstacle?
    /// A read with an update lock, behind a holder who is younger. Counted in `LockTable.readsWaitingForYounger`.
    var waitsForYounger = false
    /// Names the range that a granted scan holds.
    var rangeToken: UInt64 = 0

    init(owner: LockOwner, kind: Kind, work: PendingWork? = nil) {
        self.owner = owner
        self.kind = kind
        self.work = work
    }

    var request: LockRequest { self }

    /// What it takes in memory while it waits, about.
    var byteCount: Int {
        switch self.kind {
        case .read(let locks): locks.reduce(256) { $0 + $1.key.path.bytes.count + 128 }
        case .scan: 1_024
        case .commit(let keys):
            if case .commit(let commit) = self.work { commit.byteCount + keys.count * 128 } else { 0 }
        }
    }

    var isCommit: Bool {
        if case .commit = self.kind { true } else { false }
    }
}
