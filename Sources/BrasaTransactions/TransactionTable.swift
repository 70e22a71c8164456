import BrasaDocuments
import BrasaPlatform
import BrasaStore

/// Which transactions are open, and which have ended not long ago and how: the reference's life cycle of an id.
struct TransactionTable {
    enum Ending {
        /// With the time of the state that it answers for, durable or not; nil when there is none.
        case committed(at: Timestamp? = nil)
        case rolledBack
        /// Its commit was refused for good: a failed precondition, a malformed write.
        case commitFailed
        /// It lost against another, waited too long, or its outcome is not known.
        case aborted
        case expired
    }

    struct Ended {
        let database: DatabaseHandle
        let ending: Ending
        let isReadOnly: Bool
        let age: UInt64?
        let lifetimeEnd: MonotonicTime

        /// The answer to a read or a commit.
        var errorOnUse: TransactionError {
            if case .commitFailed = self.ending { .expiredAfterFailure } else { .expired }
        }

        /// The answer to a rollback; nil is OK. Clients roll back after a failed commit and must not fail then.
        func errorOnRollback(now: MonotonicTime) -> TransactionError? {
            switch self.ending {
            case .committed: .expired
            case .rolledBack, .commitFailed, .aborted: nil
            case .expired: now < self.lifetimeEnd ? nil : .expired
            }
        }
    }

    enum Found {
        case open(Transaction)
        case ended(Ended)
        case unknown
    }

    private let configuration: TransactionConfiguration
    private var open: [TransactionID: Transaction] = [:]
    private var ended: [TransactionID: Ended] = [:]
    private var endings = FirstInFirstOut<(id: TransactionID, forgetAt: MonotonicTime)>()
    private var expiries = ExpiryWheel()

    init(configuration: TransactionConfiguration) {
        self.configuration = configuration
    }

    var openCount: Int { self.open.count }
    var rememberedCount: Int { self.ended.count }

    func find(_ id: TransactionID, in database: DatabaseHandle) -> Found {
        if let transaction = self.open[id], transaction.database == database { return .open(transaction) }
        if let ended = self.ended[id], ended.database == database { return .ended(ended) }
        return .unknown
    }

    func openTransaction(_ id: TransactionID) -> Transaction? { self.open[id] }

    /// In the order of their beginnings.
    func openTransactions(in database: DatabaseHandle) -> [Transaction] {
        self.open.values.filter { $0.database == database }.sorted { $0.sequence < $1.sequence }
    }

    mutating func insert(_ transaction: Transaction) {
        self.open[transaction.id] = transaction
        self.expiries.schedule(transaction.id, at: self.expiry(of: transaction))
    }

    /// False when it was over already.
    mutating func end(_ transaction: Transaction, _ ending: Ending, now: MonotonicTime) -> Bool {
        guard self.open.removeValue(forKey: transaction.id) != nil else { return false }
        self.ended[transaction.id] = Ended(
            database: transaction.database,
            ending: ending,
            isReadOnly: transaction.isReadOnly,
            age: transaction.age,
            lifetimeEnd: transaction.begunAt + self.configuration.lifetimeMax
        )
        self.endings.append((transaction.id, now + self.configuration.rememberedFor))
        if self.ended.count > self.configuration.rememberedMax { self.forgetOldest() }
        return true
    }

    /// A transaction that waits for locks is not idle.
    func isExpired(_ transaction: Transaction, now: MonotonicTime) -> Bool {
        if now >= transaction.begunAt + self.configuration.lifetimeMax { return true }
        let isWaiting = transaction.owner.map { !$0.waiting.isEmpty } ?? false
        return !isWaiting && now >= transaction.lastActive + self.configuration.idleMax
    }

    /// Open transactions whose time is up.
    mutating func takeExpired(now: MonotonicTime) -> [Transaction] {
        var expired: [Transaction] = []
        for id in self.expiries.takeDue(now: now) {
            guard let transaction = self.open[id] else { continue }
            if self.isExpired(transaction, now: now) {
                expired.append(transaction)
            } else {
                self.expiries.schedule(id, at: max(self.expiry(of: transaction), now + ExpiryWheel.slot))
            }
        }
        return expired
    }

    mutating func forgetEnded(now: MonotonicTime) {
        while let first = self.endings.first, first.forgetAt <= now { self.forgetOldest() }
    }

    private mutating func forgetOldest() {
        guard let first = self.endings.first else { return }
        self.ended[first.id] = nil
        self.endings.popFirst()
    }

    private func expiry(of transaction: Transaction) -> MonotonicTime {
        min(
            transaction.begunAt + self.configuration.lifetimeMax,
            transaction.lastActive + self.configuration.idleMax
        )
    }
}
