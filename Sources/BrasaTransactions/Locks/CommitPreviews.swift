import BrasaDocuments
import BrasaQueries
import BrasaStore

/// What commits that wait or arrive would do, for the ranges that they may meet. Used in the writer section only.
///
/// A commit is worked out on the latest state when a range that may hold one of its documents by name asks, and what
/// came out is used for the commit itself if that is decided before anything else changes. Only the latest preview is
/// kept, and only until a document changes or the operation ends.
final class CommitPreviews {
    struct Preview {
        /// "Now" for the writes; the commit gets this time too, unless a read has got it meanwhile.
        let time: Timestamp
        /// A commit that fails changes nothing.
        let evaluation: Result<CommitEvaluation, TransactionError>
    }

    private let store: Store
    private let budget: EvaluationBudget
    /// How many writes were worked out so far.
    private(set) var workedOut = 0
    private var latest: (request: LockRequest, preview: Preview)?

    init(store: Store, budget: EvaluationBudget) {
        self.store = store
        self.budget = budget
    }

    /// Whether a document that the commit changes is in the range, before or after the change.
    func conflicts(_ request: LockRequest, with range: QueryRange) -> Bool {
        guard case .commit(let keys) = request.kind else { return false }
        guard keys.contains(where: { range.mayContain($0.path) }) else { return false }
        guard case .commit(let commit) = request.work else { return true }
        guard case .success(let evaluation) = self.preview(of: request, commit.order).evaluation else { return false }
        return evaluation.changes.contains { change in
            guard range.mayContain(change.path) else { return false }
            if case .set(let fields, _) = change.outcome, range.contains(change.path, fields: fields) { return true }
            guard let before = self.store.latest(change.path, in: change.database) else { return false }
            return range.contains(change.path, fields: before.fields)
        }
    }

    /// For the commit that goes ahead, if it was worked out.
    func take(_ request: LockRequest) -> Preview? {
        guard let latest = self.latest, latest.request === request else { return nil }
        self.latest = nil
        return latest.preview
    }

    /// A document changes, or the operation ends.
    func forget() {
        self.latest = nil
    }

    private func preview(of request: LockRequest, _ order: CommitOrder) -> Preview {
        if let latest = self.latest, latest.request === request { return latest.preview }
        // It is that or nothing.
        if let prospect = order.prospect { return Preview(time: prospect.time, evaluation: prospect.evaluation) }
        let time = self.store.passingTime()
        self.workedOut += order.writes.count
        let evaluation = Result { () throws(TransactionError) in
            try order.evaluation(of: self.store, at: time, within: self.budget)
        }
        let preview = Preview(time: time, evaluation: evaluation)
        self.latest = (request, preview)
        return preview
    }
}
