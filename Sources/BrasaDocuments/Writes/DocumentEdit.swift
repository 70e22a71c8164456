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
    /// Nil while the document does not exist.
    package private(set) var fields: EncodedFields?
    /// A write of this commit deleted the document, whatever came later.
    private var wasDeleted = false
    private var transformCount = 0

    package init(name: DocumentName, base: Document?) {
        self.name = name
        self.base = base
        self.fields = base?.fields
    }

    package var outcome: Outcome {
        guard let fields = self.fields else { return self.base == nil ? .unchanged : .deleted }
        if self.isAsStored { return .unchanged }
        return .changed(fields, createTime: self.wasDeleted ? nil : self.base?.createTime)
    }

    /// Applies a write and gives the results of its transforms. `requestTime` is the one value of "now" in the commit.
    package mutating func apply(_ write: Write, requestTime: Timestamp) throws(DocumentError) -> [Value] {
        try write.validate()
        if let precondition = write.precondition {
            try self.check(precondition)
        }
        switch write.operation {
        case .verify: return []
        case .delete:
            self.fields = nil
            self.wasDeleted = true
            return []
        case .set(let fields) where write.transforms.isEmpty:
            self.fields = fields
            try self.checkSize()
            return []
        case .set(let fields):
            return try self.change(fields, by: write, requestTime: requestTime)
        case .merge:
            return try self.change(self.fields ?? .empty, by: write, requestTime: requestTime)
        }
    }

    private mutating func change(
        _ start: EncodedFields,
        by write: Write,
        requestTime: Timestamp
    ) throws(DocumentError) -> [Value] {
        self.transformCount += write.transforms.count
        guard self.transformCount <= Limits.transformsPerDocumentMax else { throw DocumentError(.tooManyTransforms) }
        var tree = FieldTree(start)
        var reachesInside = false
        if case .merge(let new, let mask) = write.operation {
            try new.checkSize(name: self.name)
            let source = EncodedFields.Lookup(new)
            for path in mask {
                reachesInside = reachesInside || path.segments.count > 1
                if let value = source.encodedValue(at: path) {
                    try tree.set(.encoded(value), at: path)
                } else {
                    tree.remove(at: path)
                }
            }
        }
        var results: [Value] = []
        results.reserveCapacity(write.transforms.count)
        for transform in write.transforms {
            reachesInside = reachesInside || transform.path.segments.count > 1 || transform.operation.isOfArray
            let (new, result) = transform.applied(to: tree.value(at: transform.path), requestTime: requestTime)
            try tree.set(.value(new), at: transform.path)
            results.append(result)
        }
        var fields = tree.encoded()
        // Values that were each legal can make an illegal document where they meet: too deep, a vector in
        // an array, an array longer than a value may be. What only replaced whole fields cannot.
        if reachesInside { fields = try EncodedFields(validating: fields.bytes) }
        self.fields = fields
        try self.checkSize()
        return results
    }

    private func checkSize() throws(DocumentError) {
        guard let fields = self.fields else { return }
        try fields.checkSize(name: self.name)
    }

    /// Whether the document is the base version, times included.
    private var isAsStored: Bool {
        guard let base = self.base, !self.wasDeleted else { return false }
        return self.fields == base.fields
    }

    private func check(_ precondition: Precondition) throws(DocumentError) {
        switch precondition {
        case .exists(true) where self.fields == nil:
            throw DocumentError(.documentMissing(name: self.name.string))
        case .exists(false) where self.fields != nil:
            throw DocumentError(.documentExists(name: self.name.string))
        case .exists: break
        case .updateTime(let required):
            // Of the stored document, also when earlier writes changed it: they are one change of that version.
            guard self.base?.updateTime == required else {
                let stored = self.base?.updateTime.microseconds ?? 0
                throw DocumentError(.versionMismatch(stored: stored, required: required.microseconds))
            }
        }
    }
}
