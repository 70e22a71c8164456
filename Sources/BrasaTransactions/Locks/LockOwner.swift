import BrasaDocuments
import BrasaPlatform
import BrasaQueries
import BrasaStore

/// A transaction, or a plain commit, as the lock table sees it. Used in the writer section only, like the table.
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

    enum Phase {
        /// It is being decided on, for the first time.
        case asked
        /// It stands in the lines of what it asks for.
        case waiting(Wait)
        /// It has its locks. `range` names the one that a scan holds; zero for others.
        case granted(range: UInt64)
        /// It was taken out of its lines.
        case over
    }

    struct Wait {
        /// Counted against the bound on waiting bytes.
        let bytes: Int
        /// A read with an update lock, behind a holder who is younger. Counted in `LockTable.readsWaitingForYounger`.
        var isForYounger = false
    }

    let owner: LockOwner
    let kind: Kind
    /// What is done once it is granted. Dropped when the request ends, whatever may still refer to it.
    var work: PendingWork?
    var phase = Phase.asked
    /// What it was last found to wait for, or that it would have to.
    var waitsFor: Obstacle?

    var isWaiting: Bool {
        if case .waiting = self.phase { true } else { false }
    }

    var grantedRange: UInt64 {
        if case .granted(let range) = self.phase { range } else { 0 }
    }

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
            if case .commit(let commit) = self.work { commit.order.byteCount + keys.count * 128 } else { 0 }
        }
    }

    var isCommit: Bool {
        if case .commit = self.kind { true } else { false }
    }
}
