extension Write {
    /// Checks what can be checked without the document. `DocumentEdit` does it too; a request's decoder may do it
    /// earlier.
    package func validate() throws(DocumentError) {
        switch self.operation {
        case .delete where !self.transforms.isEmpty: throw DocumentError(.deleteWithTransform)
        case .verify where !self.transforms.isEmpty: throw DocumentError(.verifyWithTransform)
        case .verify where self.precondition == nil: throw DocumentError(.verifyWithoutPrecondition)
        case .merge(_, let mask): try Self.checkMask(mask)
        default: break
        }
        guard self.transforms.count <= Limits.transformsPerDocumentMax else { throw DocumentError(.tooManyTransforms) }
        for transform in self.transforms { try transform.validate() }
        try Self.checkOverlap(of: self.transforms)
    }

    /// Whether the fields that it brings fit a document, for `DocumentEdit.apply(validated:isMeasured:)`. What does not fit is
    /// refused there, after the precondition.
    package var fitsDocument: Bool {
        switch self.operation {
        case .set(let fields), .merge(let fields, _): (try? fields.checkSize(name: self.name)) != nil
        case .delete, .verify: true
        }
    }

    /// One field may be transformed several times, but not together with a field inside it.
    private static func checkOverlap(of transforms: [FieldTransform]) throws(DocumentError) {
        guard transforms.count > 1 else { return }
        let sorted = transforms.map(\.path).sorted()
        var outer = sorted[0]
        for path in sorted.dropFirst() where path != outer {
            if outer.contains(path) { throw DocumentError(.transformPathsOverlap(outer: outer.canonical)) }
            outer = path
        }
    }

    /// Of two overlapping paths it is not said which one decides; the same path twice is harmless.
    private static func checkMask(_ mask: [FieldPath]) throws(DocumentError) {
        if mask.contains(where: \.isDocumentName) { throw DocumentError(.fieldPathReserved("__name__")) }
        guard mask.count > 1 else { return }
        let sorted = mask.sorted()
        for (outer, inner) in zip(sorted, sorted.dropFirst()) where outer != inner && outer.contains(inner) {
            throw DocumentError(.maskPathsOverlap(outer.canonical, inner.canonical))
        }
    }
}

extension FieldTransform {
    package func validate() throws(DocumentError) {
        if self.path.isDocumentName { throw DocumentError(.fieldPathReserved("__name__")) }
        switch self.operation {
        case .requestTime: break
        case .increment(let operand), .maximum(let operand), .minimum(let operand):
            guard operand.isNumber else { throw DocumentError(.transformOperandNotNumber) }
        case .appendMissingElements(let elements), .removeAllFromArray(let elements):
            for case .array in elements { throw DocumentError(.nestedArrays) }
        }
    }
}

extension Precondition {
    /// From a request's time, which must be one that a document can have: whole microseconds.
    package static func updateTime(seconds: Int64, nanos: Int32) throws(DocumentError) -> Precondition {
        guard let time = Timestamp(seconds: seconds, nanos: nanos) else { throw DocumentError(.timestampOutOfRange) }
        guard nanos % 1_000 == 0 else { throw DocumentError(.preconditionTimeNotAligned) }
        return .updateTime(time)
    }
}
