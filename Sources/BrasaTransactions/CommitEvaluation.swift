import BrasaDocuments
import BrasaStore

/// The writes of one commit, applied to the latest state of the documents that they name: what changes, and what each
/// write will be answered. The writes have been validated: that can take long, and all commits wait for this.
struct CommitEvaluation: Sendable {
    /// How it is worked out.
    private struct Terms {
        let time: Timestamp
        /// What each write brings is known to fit a document.
        let isMeasured: Bool
    }

    let changes: [DocumentChange]
    /// With `time` as the commit's.
    private let results: [WriteResult]
    private let time: Timestamp
    private let firstBase: Document?

    init(
        _ writes: [Write],
        in database: DatabaseHandle,
        of store: Store,
        at time: Timestamp,
        isMeasured: Bool = false,
        within budget: inout EvaluationBudget
    ) throws(TransactionError) {
        var bases = CommitBases(in: database, of: store)
        try self.init(writes, on: &bases, at: time, isMeasured: isMeasured, within: &budget)
    }

    init(
        _ writes: [Write],
        on bases: inout CommitBases,
        at time: Timestamp,
        isMeasured: Bool = false,
        within budget: inout EvaluationBudget
    ) throws(TransactionError) {
        let terms = Terms(time: time, isMeasured: isMeasured)
        if writes.count == 1 {
            try self.init(only: writes[0], on: &bases, terms, within: &budget)
        } else {
            try self.init(several: writes, on: &bases, terms, within: &budget)
        }
    }

    /// The way of nearly all commits, without what keeps several documents apart.
    private init(
        only write: Write,
        on bases: inout CommitBases,
        _ terms: Terms,
        within budget: inout EvaluationBudget
    ) throws(TransactionError) {
        let path = write.name.path
        let database = bases.database
        let base = bases.document(path)
        var edit = DocumentEdit(name: write.name, base: base)
        let transformResults = try Self.apply(write, to: &edit, terms, within: &budget)
        let outcome = try Self.finish(edit, path, within: &budget)
        self.time = terms.time
        self.firstBase = base
        let updateTime = Self.updateTime(of: write.operation, base: base?.updateTime, outcome, terms.time)
        self.results = [WriteResult(updateTime: updateTime, transformResults: transformResults)]
        if let change = Self.change(to: outcome) {
            self.changes = [DocumentChange(database: database, path: path, outcome: change)]
        } else {
            self.changes = []
        }
    }

    private init(
        several writes: [Write],
        on bases: inout CommitBases,
        _ terms: Terms,
        within budget: inout EvaluationBudget
    ) throws(TransactionError) {
        let database = bases.database
        var documents = EditedDocuments()
        var evaluated: [(document: Int, transformResults: [Value])] = []
        evaluated.reserveCapacity(writes.count)
        for write in writes {
            let index = documents.index(of: write.name, on: &bases)
            let results = try Self.apply(write, to: &documents.edits[index].edit, terms, within: &budget)
            evaluated.append((index, results))
        }
        var outcomes: [DocumentEdit.Outcome] = []
        outcomes.reserveCapacity(documents.edits.count)
        for edited in documents.edits {
            outcomes.append(try Self.finish(edited.edit, edited.path, within: &budget))
        }
        self.time = terms.time
        self.firstBase = documents.edits.first?.edit.base
        self.results = zip(writes, evaluated).map { write, evaluated in
            let base = documents.edits[evaluated.document].edit.base?.updateTime
            let updateTime = Self.updateTime(of: write.operation, base: base, outcomes[evaluated.document], terms.time)
            return WriteResult(updateTime: updateTime, transformResults: evaluated.transformResults)
        }
        self.changes = zip(documents.edits, outcomes).compactMap { edited, outcome in
            Self.change(to: outcome).map { DocumentChange(database: database, path: edited.path, outcome: $0) }
        }
    }

    /// The answer if the commit gets this time, which is not before the one that it was evaluated at. With the first
    /// document written as it is then, if it is asked for and there is one; of commits with one document.
    func result(at commitTime: Timestamp, keepsDocument: Bool) -> CommitResult {
        CommitResult(
            commitTime: commitTime,
            results: self.results(at: commitTime),
            document: keepsDocument ? self.firstDocument(at: commitTime) : nil
        )
    }

    private func results(at commitTime: Timestamp) -> [WriteResult] {
        guard commitTime != self.time else { return self.results }
        return self.results.map { result in
            guard result.updateTime == self.time else { return result }
            return WriteResult(updateTime: commitTime, transformResults: result.transformResults)
        }
    }

    private func firstDocument(at commitTime: Timestamp) -> Document? {
        switch self.changes.first?.outcome {
        case .set(let fields, let createTime)?:
            Document(fields: fields, createTime: createTime ?? commitTime, updateTime: commitTime)
        case .delete?: nil
        case nil: self.firstBase
        }
    }

    private static func apply(
        _ write: Write,
        to edit: inout DocumentEdit,
        _ terms: Terms,
        within budget: inout EvaluationBudget
    ) throws(TransactionError) -> [Value] {
        try budget.takeWork(write.workBytes)
        let before = edit.workBytes
        let results: [Value]
        do throws(DocumentError) {
            results = try edit.apply(validated: write, isMeasured: terms.isMeasured, requestTime: terms.time)
        } catch {
            throw .document(error)
        }
        try budget.takeWork(edit.workBytes - before)
        return results
    }

    private static func finish(
        _ edit: DocumentEdit,
        _ path: ResourcePath,
        within budget: inout EvaluationBudget
    ) throws(TransactionError) -> DocumentEdit.Outcome {
        let outcome = try TransactionError.wrapping { () throws(DocumentError) in try edit.finish() }
        if case .changed(let fields, _) = outcome { try budget.takeChange(fields.bytes.count + path.bytes.count) }
        return outcome
    }

    private static func change(to outcome: DocumentEdit.Outcome) -> DocumentChange.Outcome? {
        switch outcome {
        case .unchanged: nil
        case .changed(let fields, let createTime): .set(fields, createTime: createTime)
        case .deleted: .delete
        }
    }

    private static func updateTime(
        of operation: Write.Operation,
        base: Timestamp?,
        _ outcome: DocumentEdit.Outcome,
        _ commitTime: Timestamp
    ) -> Timestamp? {
        switch (operation, outcome) {
        case (.delete, _): nil
        case (.verify, .deleted), (.verify, .unchanged): base
        // Set and deleted again: what is written has a time, even if nothing stays.
        case (_, .unchanged): base ?? commitTime
        case (_, .changed), (_, .deleted): commitTime
        }
    }
}

/// The documents of one commit in the order in which they are first named, each through all its writes.
private struct EditedDocuments {
    struct Edited {
        let path: ResourcePath
        var edit: DocumentEdit
    }

    var edits: [Edited] = []
    private var indices: [ResourcePath: Int] = [:]

    mutating func index(of name: DocumentName, on bases: inout CommitBases) -> Int {
        if let index = self.indices[name.path] { return index }
        let base = bases.document(name.path)
        self.edits.append(Edited(path: name.path, edit: DocumentEdit(name: name, base: base)))
        self.indices[name.path] = self.edits.count - 1
        return self.edits.count - 1
    }
}
