package import BrasaDocuments
import BrasaPlatform
import BrasaStore

/// What a commit would do to the documents as they are, worked out without entering the section, for whoever has to judge
/// it first; that may take long, and read other documents. It is carried out only if all documents that were looked at are
/// then as they were.
package struct CommitProspect: Sendable {
    /// What has waited longer, for locks, is worked out again: its "now" is past.
    private static let ageMax: Duration = .seconds(1)

    /// "Now" for the writes. The commit's own time is this one or a little later.
    package let time: Timestamp
    let evaluation: Result<CommitEvaluation, TransactionError>
    let isMeasured: Bool
    private let madeAt: MonotonicTime
    /// What the writes would leave, also if a precondition fails; nil when that cannot be said.
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
    package mutating func document(_ path: ResourcePath) -> Document? { self.bases.document(path) }

    package enum Future {
        case fields(EncodedFields)
        case missing
        case unknown
    }

    /// A document after the commit.
    package mutating func future(of path: ResourcePath) -> Future {
        guard let futures = self.futures else { return .unknown }
        let place = futures.places.place(of: path)
        let fields = if let place { futures.fields[place] } else { self.document(path)?.fields }
        return fields.map { .fields($0) } ?? .missing
    }

    /// Whether everything that was looked at is as it was.
    package var stands: Bool { self.bases.stand }

    var isUndurable: Bool { self.bases.areUndurable }

    /// About what it takes in memory beside its writes.
    package var byteCount: Int {
        let futures = self.futures?.fields.reduce(0) { $0 + 256 + ($1?.bytes.count ?? 0) }
        return self.bases.byteCount + (futures ?? 0)
    }

    func isTooOld(at now: MonotonicTime) -> Bool { self.madeAt + Self.ageMax < now }
}

extension Write {
    fileprivate var withoutPrecondition: Write {
        var write = self
        write.precondition = nil
        return write
    }
}

/// The documents that change, by place, as they will be; nil for one that is deleted.
private struct Futures {
    var places = PathPlaces()
    var fields: [EncodedFields?] = []

    init(_ evaluation: CommitEvaluation) {
        self.fields.reserveCapacity(evaluation.changes.count)
        for change in evaluation.changes {
            self.places.append(change.path)
            switch change.outcome {
            case .set(let fields, _): self.fields.append(fields)
            case .delete: self.fields.append(nil)
            }
        }
    }
}
