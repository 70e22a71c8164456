import BrasaDocuments

/// A write as the model understands it.
struct ModelWrite {
    enum Operation {
        case set(number: Int64)
        /// Adds to the number, which is created when missing.
        case increment(Int64)
        /// Sets exactly what is given, writer included: usually what is there already.
        case restore(number: Int64, writer: Int64)
        case delete
        case verify
    }

    let document: Int
    let operation: Operation
    let writer: Int64
    var precondition: Precondition?

    func write(in database: DatabaseName) -> Write {
        guard let name = DocumentName(database: database, path: ModelWorld.paths[self.document]) else {
            preconditionFailure("the model's world has documents only")
        }
        var write = Write(name: name, operation: .delete, precondition: self.precondition)
        switch self.operation {
        case .set(let number): write.operation = .set(ModelWorld.fields(number: number, writer: self.writer))
        case .restore(let number, let writer): write.operation = .set(ModelWorld.fields(number: number, writer: writer))
        case .delete: break
        case .verify: write.operation = .verify
        case .increment(let number):
            let fields = EncodedFields(encoding: [Value.MapEntry(key: "w", value: .integer(self.writer))])
            write.operation = .merge(fields, mask: [Self.field("w")])
            write.transforms = [FieldTransform(path: Self.field("n"), operation: .increment(.integer(number)))]
        }
        return write
    }

    private static func field(_ name: String) -> FieldPath {
        guard let path = try? FieldPath(parsing: Array(name.utf8)) else { preconditionFailure(name) }
        return path
    }
}

/// What the model says that a commit does.
struct ModelOutcome {
    var changes: [Int: ModelDocument?] = [:]
    var updateTimes: [Int64?] = []
    /// Results of increments, by write.
    var numbers: [Int64?] = []
}

/// Applies writes to documents the slow and obvious way.
struct ModelEvaluation {
    private struct Edit {
        let base: ModelDocument?
        var current: (number: Int64, writer: Int64)?
        var wasDeleted = false

        var isAsBefore: Bool {
            guard let base else { return self.current == nil }
            guard let current else { return false }
            return !self.wasDeleted && current == (base.number, base.writer)
        }
    }

    static func outcome(
        of writes: [ModelWrite],
        at time: Int64,
        base: (Int) -> ModelDocument?
    ) -> Result<ModelOutcome, DocumentError> {
        if let failure = Self.contradiction(in: writes) { return .failure(failure) }
        var edits: [Int: Edit] = [:]
        var outcome = ModelOutcome()
        for write in writes {
            var edit: Edit
            if let known = edits[write.document] {
                edit = known
            } else {
                let base = base(write.document)
                edit = Edit(base: base, current: base.map { ($0.number, $0.writer) })
            }
            if let failure = Self.failure(of: write, edit, time: time) { return .failure(failure) }
            var number: Int64?
            switch write.operation {
            case .set(let number): edit.current = (number, write.writer)
            case .restore(let number, let writer): edit.current = (number, writer)
            case .increment(let step):
                let sum = (edit.current?.number ?? 0) + step
                edit.current = (sum, write.writer)
                number = sum
            case .delete:
                edit.current = nil
                edit.wasDeleted = true
            case .verify: break
            }
            outcome.numbers.append(number)
            edits[write.document] = edit
        }
        for (document, edit) in edits where !edit.isAsBefore {
            let createTime = edit.wasDeleted ? time : edit.base?.createTime ?? time
            outcome.changes[document] = .some(
                edit.current.map {
                    ModelDocument(number: $0.number, writer: $0.writer, createTime: createTime, updateTime: time)
                }
            )
        }
        outcome.updateTimes = writes.map { write in
            guard let edit = edits[write.document] else { return nil }
            return Self.updateTime(of: write, edit, time: time)
        }
        return .success(outcome)
    }

    private static func updateTime(of write: ModelWrite, _ edit: Edit, time: Int64) -> Int64? {
        switch write.operation {
        case .delete: nil
        case .verify: edit.current == nil || edit.isAsBefore ? edit.base?.updateTime : time
        case .set, .restore, .increment: edit.isAsBefore ? edit.base?.updateTime ?? time : time
        }
    }

    /// What no state would make acceptable.
    private static func contradiction(in writes: [ModelWrite]) -> DocumentError? {
        for (index, write) in writes.enumerated() {
            if write.isVerification && write.precondition == nil { return DocumentError(.verifyWithoutPrecondition) }
            let earlier = writes[..<index].filter { $0.document == write.document }
            guard let first = earlier.first, let last = earlier.last else { continue }
            if write.isVerification || last.isVerification { return DocumentError(.verifiedAndWritten) }
            let isContradiction =
                switch (last.isDeletion, write.precondition) {
                case (true, .exists(true)), (false, .exists(false)): true
                case (true, .updateTime): !write.isDeletion
                default: false
                }
            if isContradiction { return DocumentError(.contradictingWrites(.delete, .update)) }
            if case .updateTime = write.precondition, write.precondition != first.precondition {
                return DocumentError(.differingUpdateTimes)
            }
        }
        return nil
    }

    private static func failure(of write: ModelWrite, _ edit: Edit, time: Int64) -> DocumentError? {
        let name = ModelWorld.names[write.document]
        switch write.precondition {
        case .exists(true) where edit.current == nil: return DocumentError(.documentMissing(name: name))
        case .exists(false) where edit.current != nil: return DocumentError(.documentExists(name: name))
        case .updateTime(let required) where edit.base?.updateTime != required.microseconds:
            if let base = edit.base, base.updateTime < required.microseconds {
                return DocumentError(.versionAhead(name: name))
            }
            return DocumentError(.versionMismatch(stored: 0, required: required.microseconds))
        default: return nil
        }
    }
}

extension ModelWrite {
    fileprivate var isVerification: Bool { if case .verify = self.operation { true } else { false } }
    fileprivate var isDeletion: Bool { if case .delete = self.operation { true } else { false } }
}
