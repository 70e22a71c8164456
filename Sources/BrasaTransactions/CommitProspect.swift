package import BrasaDocuments
import BrasaPlatform
import BrasaStore

/// What a commit would do to the documents as they are, worked out without entering the section, for whoever has to judge
/// it first; that may take long, and read other documents. It is carried out only if all documents that were looked at are
/// then as they were.
///
/// Unchecked: whoever has it made asks it for documents until they hand it over to be carried out; from then on nobody changes it.
package final class CommitProspect: @unchecked Sendable {
    /// What has waited longer, for locks, is worked out again: its "now" is past.
    private static let ageMax: Duration = .seconds(1)

    /// "Now" for the writes. The commit's own time is this one or a little later.
    package let time: Timestamp
    let evaluation: Result<CommitEvaluation, TransactionError>
    let isMeasured: Bool
    private let madeAt: MonotonicTime
    /// What the writes would change, also if a precondition fails; nil when that cannot be said.
    private let futures: Futures?
    private var bases: CommitBases

    /// - Parameter writes: validated.
    init(
        _ writes: [Write],
        in database: DatabaseHandle,
        of store: Store,
        now: MonotonicTime,
        within budget: EvaluationBudget
    ) {
        var bases = CommitBases(in: database, of: store, remembersSeen: true)
        let time = store.passingTime()
        let isMeasured = writes.allSatisfy { $0.fitsDocument }
        func evaluation(_ writes: [Write]) -> Result<CommitEvaluation, TransactionError> {
            var budget = budget
            return Result { () throws(TransactionError) in
                try CommitEvaluation(writes, on: &bases, at: time, isMeasured: isMeasured, within: &budget)
            }
        }
        let outcome = evaluation(writes)
        switch outcome {
        case .success(let evaluation): self.futures = Futures(evaluation)
        case .failure where !writes.contains(where: { $0.precondition != nil }): self.futures = nil
        case .failure:
            // Whether the caller may know that a precondition fails is yet to be judged.
            self.futures = (try? evaluation(writes.map(\.withoutPrecondition)).get()).map { Futures($0) }
        }
        self.time = time
        self.evaluation = outcome
        self.isMeasured = isMeasured
        self.madeAt = now
        self.bases = bases
    }

    /// A document before the commit. From now on the commit rests on it.
    package func document(_ path: ResourcePath) -> Document? { self.bases.document(path) }

    package enum Future {
        case fields(EncodedFields)
        case missing
        case unknown
    }

    /// A document after the commit.
    package func future(of path: ResourcePath) -> Future {
        guard let futures = self.futures else { return .unknown }
        switch futures.outcome(for: path) {
        case .set(let fields, _): return .fields(fields)
        case .delete: return .missing
        case nil: return self.document(path).map { .fields($0.fields) } ?? .missing
        }
    }

    /// Whether everything that was looked at is as it was.
    package var stands: Bool { self.bases.stand }

    var isUndurable: Bool { self.bases.areUndurable }

    /// About what it takes in memory beside its writes.
    package var byteCount: Int { self.bases.byteCount + (self.futures?.byteCount ?? 0) }

    func isTooOld(at now: MonotonicTime) -> Bool { self.madeAt + Self.ageMax < now }
}

extension Write {
    fileprivate var withoutPrecondition: Write {
        var write = self
        write.precondition = nil
        return write
    }
}

/// The documents that change, and how.
private struct Futures {
    private let changes: [DocumentChange]
    /// Where each is among them, if there are several.
    private var places = PathTable<Void>()

    init(_ evaluation: CommitEvaluation) {
        self.changes = evaluation.changes
        if self.changes.count > 1 { for change in self.changes { self.places.append(change.path, ()) } }
    }

    /// Nil for a document that stays as it is.
    func outcome(for path: ResourcePath) -> DocumentChange.Outcome? {
        if self.changes.count > 1 { return self.places.place(of: path).map { self.changes[$0].outcome } }
        return self.changes.first.flatMap { $0.path == path ? $0.outcome : nil }
    }

    var byteCount: Int {
        self.changes.reduce(0) { sum, change in
            if case .set(let fields, _) = change.outcome { sum + 256 + fields.bytes.count } else { sum + 256 }
        }
    }
}
