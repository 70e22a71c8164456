import BrasaDocuments
import BrasaPlatform
import BrasaStore

/// An open transaction. Used in the writer section only.
final class Transaction {
    enum State {
        case active
        /// Its commit waits for locks.
        case committing
        /// An older transaction took its locks. It goes on reading the state of that moment, so that its client sees
        /// nothing inconsistent; a commit without writes succeeds, one with writes is aborted. (The official Python
        /// client reruns a transaction only when its Commit is aborted, not when a read is.)
        case doomed(Snapshot)
    }

    /// A time, and the history that is kept for it as long as this lives.
    struct Snapshot {
        let time: Timestamp
        let pin: SnapshotPin
    }

    /// What read-only and optimistic transactions read from, and have seen there.
    struct View {
        let snapshot: Snapshot
        /// Of an optimistic transaction.
        var observations = Observations()

        init(_ snapshot: Snapshot) {
            self.snapshot = snapshot
        }
    }

    let id: TransactionID
    let database: DatabaseHandle
    let mode: TransactionMode
    /// Counts beginnings.
    let sequence: UInt64
    let begunAt: MonotonicTime
    /// From the attempt that this one repeats.
    let inheritedAge: UInt64?
    var lastActive: MonotonicTime
    var state = State.active
    /// Since the first read of a pessimistic transaction, or the commit.
    var owner: LockOwner?
    /// Of read-only and optimistic transactions, since the first read.
    var view: View?

    init(
        id: TransactionID,
        sequence: UInt64,
        database: DatabaseHandle,
        mode: TransactionMode,
        inheritedAge: UInt64?,
        now: MonotonicTime
    ) {
        self.sequence = sequence
        self.id = id
        self.database = database
        self.mode = mode
        self.inheritedAge = inheritedAge
        self.begunAt = now
        self.lastActive = now
    }

    var isReadOnly: Bool {
        if case .readOnly = self.mode { true } else { false }
    }

    /// Reads from one snapshot and locks nothing.
    var readsSnapshot: Bool {
        switch self.mode {
        case .readOnly, .readWrite(_, .optimistic): true
        case .readWrite(_, .pessimistic): false
        }
    }

    var age: UInt64? { self.owner?.priority.age ?? self.inheritedAge }
}
