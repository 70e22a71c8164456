import BrasaDocuments
import BrasaStore

/// The writes of one commit, applied to the latest state of the documents that they name: what changes, and what each
/// write will be answered. The writes have been validated: that can take long, and all commits wait for this.
struct CommitEvaluation {
    private struct Evaluated {
        let document: Int
        let operation: Write.Operation
        let transformResults: [Value]
    }

    private(set) var changes: [DocumentChange] = []
    /// With `time` as the commit's.
    private let results: [WriteResult]
    private let time: Timestamp
    private let firstBase: Document?

    init(
        _ writes: [Write],
        in database: DatabaseHandle,
        of store: Store,
        at time: Timestamp,
        within budget: inout EvaluationBudget
    ) throws(TransactionError) {
        self.time = time
        var documents = EditedDocuments(database: database, store: store)
        var evaluated: [Evaluated] = []
        evaluated.reserveCapacity(writes.count)
        for write in writes {
            try budget.takeWork(write.workBytes)
            let index = documents.index(of: write.name, isOnly: writes.count == 1)
            let before = documents.edits[index].edit.workBytes
            let results = try TransactionError.wrapping { () throws(DocumentError) in
                try documents.edits[index].edit.apply(validated: write, requestTime: time)
            }
            try budget.takeWork(documents.edits[index].edit.workBytes - before)
            evaluated.append(Evaluated(document: index, operation: write.operation, transformResults: results))
        }
        var outcomes: [DocumentEdit.Outcome] = []
        outcomes.reserveCapacity(documents.edits.count)
        for edited in documents.edits {
            let outcome = try TransactionError.wrapping { () throws(DocumentError) in try edited.edit.finish() }
            if case .changed(let fields, _) = outcome {
                try budget.takeChange(fields.bytes.count + edited.path.bytes.count)
            }
            outcomes.append(outcome)
        }
        self.firstBase = documents.edits.first?.edit.base
        self.results = evaluated.map { write in
            let base = documents.edits[write.document].edit.base?.updateTime
            let updateTime = Self.updateTime(of: write.operation, base: base, outcomes[write.document], time)
            return WriteResult(updateTime: updateTime, transformResults: write.transformResults)
        }
        for (edited, outcome) in zip(documents.edits, outcomes) {
            guard let change = Self.change(to: outcome) else { continue }
            self.changes.append(DocumentChange(database: database, path: edited.path, outcome: change))
        }
    }

    /// The answers if the commit gets this time, which is not before the one that it was evaluated at.
    func results(at commitTime: Timestamp) -> [WriteResult] {
        guard commitTime != self.time else { return self.results }
        return self.results.map { result in
            guard result.updateTime == self.time else { return result }
            return WriteResult(updateTime: commitTime, transformResults: result.transformResults)
        }
    }

    /// The first document written as it is then, if there is one; of commits with one document.
    func firstDocument(at commitTime: Timestamp) -> Document? {
        switch self.changes.first?.outcome {
        case .set(let fields, let createTime)?:
            Document(fields: fields, createTime: createTime ?? commitTime, updateTime: commitTime)
        case .delete?: nil
        case nil: self.firstBase
        }
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

    let database: DatabaseHandle
    let store: Store
    var edits: [Edited] = []
    private var indices: [ResourcePath: Int] = [:]

    init(database: DatabaseHandle, store: Store) {
        self.database = database
        self.store = store
    }

    mutating func index(of name: DocumentName, isOnly: Bool) -> Int {
        if !isOnly, let index = self.indices[name.path] { return index }
        let base = self.store.latest(name.path, in: self.database)
        self.edits.append(Edited(path: name.path, edit: DocumentEdit(name: name, base: base)))
        if !isOnly { self.indices[name.path] = self.edits.count - 1 }
        return self.edits.count - 1
    }
}
