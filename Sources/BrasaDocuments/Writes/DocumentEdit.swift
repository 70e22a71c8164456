/// One document through the writes of one commit, in order. Each write sees what the ones before it left; when one
/// throws, the commit has failed and the edit is of no further use. Which writes may follow each other is for
/// `Write.validate(commit:)` to say.
package struct DocumentEdit: Sendable {
    /// What the writes amount to.
    package enum Outcome: Hashable, Sendable {
        /// No new version: the stored fields are the same byte for byte, or a missing document is still missing.
        case unchanged
        /// No create time: it is the commit's time.
        case changed(EncodedFields, createTime: Timestamp?)
        case deleted
    }

    package let name: DocumentName
    package let base: Document?
    private var state: State
    /// A write of this commit deleted the document, whatever came later.
    private var wasDeleted = false
    private var transformCount = 0
    /// How many bytes the writes so far have taken apart, and `finish` will put together again, about. What the writes
    /// themselves bring is in `Write.workBytes`.
    package private(set) var workBytes = 0

    /// The document so far. It is taken apart at the first change of single fields and put together at the end, however
    /// many writes there are.
    private enum State: Sendable {
        case missing
        case fields(EncodedFields)
        case draft(FieldDraft)
    }

    package init(name: DocumentName, base: Document?) {
        self.name = name
        self.base = base
        self.state = base.map { .fields($0.fields) } ?? .missing
    }

    private var exists: Bool { if case .missing = self.state { false } else { true } }

    /// After the last write: what they amount to. Throws when that is too large for a document, or nested too deep.
    package func finish() throws(DocumentError) -> Outcome {
        let fields: EncodedFields
        switch self.state {
        case .missing: return self.base == nil ? .unchanged : .deleted
        case .fields(let whole): fields = whole
        case .draft(let draft):
            fields = try draft.finish()
            try fields.checkSize(name: self.name)
        }
        if let base = self.base, !self.wasDeleted, fields == base.fields { return .unchanged }
        return .changed(fields, createTime: self.wasDeleted ? nil : self.base?.createTime)
    }

    /// Applies a write and gives the results of its transforms. `requestTime` is the one value of "now" in the commit.
    package mutating func apply(_ write: Write, requestTime: Timestamp) throws(DocumentError) -> [Value] {
        try write.validate()
        return try self.apply(validated: write, requestTime: requestTime)
    }

    /// The same for a write that was validated before. `isMeasured`: what it brings is known to fit a document, too.
    package mutating func apply(
        validated write: Write,
        isMeasured: Bool = false,
        requestTime: Timestamp
    ) throws(DocumentError) -> [Value] {
        if let precondition = write.precondition {
            try self.check(precondition)
        }
        switch write.operation {
        case .verify: return []
        case .delete:
            self.state = .missing
            self.wasDeleted = true
            return []
        case .set(let fields):
            if !isMeasured { try fields.checkSize(name: self.name) }
            self.state = .fields(fields)
            if write.transforms.isEmpty { return [] }
            return try self.change(by: write, isMeasured: isMeasured, requestTime: requestTime)
        case .merge:
            return try self.change(by: write, isMeasured: isMeasured, requestTime: requestTime)
        }
    }

    private mutating func change(
        by write: Write,
        isMeasured: Bool,
        requestTime: Timestamp
    ) throws(DocumentError) -> [Value] {
        self.transformCount += write.transforms.count
        guard self.transformCount <= Limits.transformsPerDocumentMax else { throw DocumentError(.tooManyTransforms) }
        var draft = self.takeDraft()
        let workBytes = draft.workBytes
        if case .merge(let new, let mask) = write.operation {
            if !isMeasured { try new.checkSize(name: self.name) }
            var source = EncodedFields.Lookup(new)
            for path in mask { try draft.set(source.encodedValue(at: path), at: path) }
        }
        var results: [Value] = []
        results.reserveCapacity(write.transforms.count)
        for transform in write.transforms {
            results.append(try draft.apply(transform, requestTime: requestTime))
        }
        self.workBytes += draft.workBytes - workBytes
        self.state = .draft(draft)
        return results
    }

    /// Leaves nothing behind, so that the draft is changed in place.
    private mutating func takeDraft() -> FieldDraft {
        defer { self.state = .missing }
        switch self.state {
        case .missing: return FieldDraft(.empty)
        case .fields(let fields):
            let draft = FieldDraft(fields)
            self.workBytes += fields.bytes.count + draft.workBytes
            return draft
        case .draft(let draft): return draft
        }
    }

    private func check(_ precondition: Precondition) throws(DocumentError) {
        switch precondition {
        case .exists(true) where !self.exists:
            throw DocumentError(.documentMissing(name: self.name.string))
        case .exists(false) where self.exists:
            throw DocumentError(.documentExists(name: self.name.string))
        case .exists: break
        case .updateTime(let required):
            // Of the stored document, also when earlier writes changed it: they are one change of that version.
            let stored = self.base?.updateTime
            guard stored != required else { return }
            // The stored version is the newest that there was: nobody has read a later one, and waiting brings none back.
            if let stored, stored < required { throw DocumentError(.versionAhead(name: self.name.string)) }
            throw DocumentError(.versionMismatch(stored: stored?.microseconds ?? 0, required: required.microseconds))
        }
    }
}
