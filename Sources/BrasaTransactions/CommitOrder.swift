import BrasaDocuments
import BrasaPlatform
import BrasaStore

/// A commit as it is asked for. All that can be found out without the documents is, before the section is entered.
struct CommitOrder: Sendable {
    let database: DatabaseHandle
    let writes: [Write]
    /// Why these writes fail whatever is stored.
    let refusal: TransactionError?
    /// What each write brings fits a document. To find out may mean to walk through all of it.
    let isMeasured: Bool
    let reply: Reply<CommitResult>
    /// Nil: it need not be judged.
    let prospect: CommitProspect?
    /// Only of a plain commit.
    let witness: (any CommitWitness)?
    /// In the result: the first document as the commit leaves it. Only of a plain commit.
    let keepsDocument: Bool
    /// Of several writes; most commits have one, and need it only if they wait.
    private let distinctKeys: [LockKey]

    init(
        _ writes: [Write],
        in database: DatabaseHandle,
        refusal: TransactionError?,
        prospect: CommitProspect? = nil,
        witness: (any CommitWitness)? = nil,
        keepsDocument: Bool = false,
        reply: Reply<CommitResult>
    ) {
        self.database = database
        self.writes = writes
        self.refusal = refusal
        self.isMeasured = prospect?.isMeasured ?? (refusal == nil && writes.allSatisfy { $0.fitsDocument })
        self.prospect = prospect
        self.reply = reply
        self.witness = witness
        self.keepsDocument = keepsDocument
        var keys: [LockKey] = []
        if writes.count > 1, refusal == nil {
            var seen: Set<LockKey> = []
            for write in writes {
                let key = LockKey(database: database, path: write.name.path)
                if seen.insert(key).inserted { keys.append(key) }
            }
        }
        self.distinctKeys = keys
    }

    /// The distinct documents that are written or verified.
    var keys: [LockKey] {
        if self.writes.count == 1 { return [LockKey(database: self.database, path: self.writes[0].name.path)] }
        return self.distinctKeys
    }

    func evaluation(
        of store: Store,
        at time: Timestamp,
        within budget: EvaluationBudget
    ) throws(TransactionError) -> CommitEvaluation {
        var budget = budget
        return try CommitEvaluation(
            self.writes,
            in: self.database,
            of: store,
            at: time,
            isMeasured: self.isMeasured,
            within: &budget
        )
    }

    /// Gives the result when the commit's record is durable.
    func waiter(for result: CommitResult) -> Store.Waiter {
        let reply = self.reply
        return Store.waiter(on: reply.mailbox) { outcome in
            guard let error = outcome.storeError else { return reply.complete(.success(result)) }
            reply.complete(.failure(TransactionError(afterAppending: error)))
        }
    }

    /// About what the writes take in memory while they wait.
    var byteCount: Int {
        self.writes.reduce(self.prospect?.byteCount ?? 0) { sum, write in
            let fields =
                switch write.operation {
                case .set(let fields), .merge(let fields, _): fields.bytes.count
                case .delete, .verify: 0
                }
            return sum + fields + write.name.path.bytes.count + 256 * (1 + write.transforms.count) + write.workBytes
        }
    }
}

extension TransactionConfiguration {
    /// Why these writes fail whatever is stored. Takes as long as the writes are many and long.
    func refusal(of writes: [Write], in store: Store) -> TransactionError? {
        guard writes.count <= self.commitWritesMax else { return .tooManyWrites(allowed: self.commitWritesMax) }
        var budget = self.evaluationBudget(of: store)
        do throws(TransactionError) {
            for write in writes { try budget.takeWork(write.workBytes) }
            try TransactionError.wrapping { () throws(DocumentError) in try Write.validate(commit: writes) }
            return nil
        } catch {
            return error
        }
    }
}
