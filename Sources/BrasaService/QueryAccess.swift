import BrasaDocuments
import BrasaMessages
import BrasaQueries
import BrasaStore
import BrasaTransactions

/// Leave to run one query: at which time, and for whom its range is kept as it is.
struct QueryAccess: Sendable {
    let database: DatabaseHandle
    let time: Timestamp
    /// The transaction that began with this query.
    let begun: TransactionID?
    /// Nil when nothing is locked.
    fileprivate let lock: (transaction: TransactionID, grant: ScanGrant)?

    /// For reads outside transactions.
    init(database: DatabaseHandle, time: Timestamp) {
        self.database = database
        self.time = time
        self.begun = nil
        self.lock = nil
    }

    fileprivate init(database: DatabaseHandle, begun: TransactionID?, transaction: TransactionID, grant: ScanGrant) {
        self.database = database
        self.time = grant.readTime
        self.begun = begun
        self.lock = (transaction: transaction, grant: grant)
    }

    /// Whether others wait for what was seen; if so it is worth saying what was not.
    var isLocking: Bool { self.lock != nil }
    var transaction: TransactionID? { self.lock?.transaction }
}

extension FirestoreService {
    /// Calls `body` when a query over `range` may run, now or later; finishes the call when it may not.
    /// - Parameter began: called with the transaction that the request asked to begin, before its locks are awaited.
    func withAccess<Response>(
        to range: @escaping @autoclosure @Sendable () -> QueryRange,
        in database: DatabaseHandle,
        _ consistency: ReadConsistency,
        for call: Call<Response>,
        _ read: JudgedRead? = nil,
        began: @escaping @Sendable (TransactionID) -> Void = { _ in },
        _ body: @escaping @Sendable (QueryAccess) throws(StoreError) -> Void
    ) {
        switch consistency {
        case .strong:
            self.withAccess(at: nil, in: database, for: call, read, body)
        case .readTime(let time):
            self.withAccess(at: time, in: database, for: call, read, body)
        case .transaction(let bytes):
            guard let id = self.transactionID(bytes, for: call) else { return }
            self.withAccess(to: range(), in: database, of: id, begun: nil, for: call, read, body)
        case .newTransaction(let options):
            self.begin(options, unspecified: .readOnly(readTime: nil), in: database, for: call) { id in
                began(id)
                self.withAccess(to: range(), in: database, of: id, begun: id, for: call, read, body)
            }
        }
    }

    private func withAccess<Response>(
        at time: ReadTime?,
        in database: DatabaseHandle,
        for call: Call<Response>,
        _ read: JudgedRead?,
        _ body: @escaping @Sendable (QueryAccess) throws(StoreError) -> Void
    ) {
        let isPast = time != nil
        self.withReadTime(time, in: database, for: call) { (time) throws(StoreError) in
            guard self.allows(read, in: database, at: time, for: call) else { return }
            // The past shows nothing that is not allowed any more.
            guard !isPast || self.allows(read, in: database, at: nil, for: call) else { return }
            try body(QueryAccess(database: database, time: time))
        }
    }

    private func withAccess<Response>(
        to range: QueryRange,
        in database: DatabaseHandle,
        of id: TransactionID,
        begun: TransactionID?,
        for call: Call<Response>,
        _ read: JudgedRead?,
        _ body: @escaping @Sendable (QueryAccess) throws(StoreError) -> Void
    ) {
        guard self.allows(read, in: database, at: nil, of: id, for: call) else { return }
        let ticket = self.transactions.scan(
            transaction: id,
            database: database,
            range: range,
            reply: self.reply { result in
                guard let grant = call.value(result),
                    self.allows(read, in: database, at: grant.readTime, of: id, for: call)
                else { return }
                do throws(StoreError) {
                    try body(QueryAccess(database: database, begun: begun, transaction: id, grant: grant))
                } catch {
                    call.finish(Status(error))
                }
            }
        )
        self.cancel(ticket, with: call)
    }

    /// Says that no more than `range`, a part of what the access was given for, was seen, so that others may write in
    /// the rest.
    func narrow(_ access: QueryAccess, to range: QueryRange) {
        guard let lock = access.lock else { return }
        self.transactions.narrowScan(
            transaction: lock.transaction,
            database: access.database,
            lock.grant,
            to: range
        )
    }
}
