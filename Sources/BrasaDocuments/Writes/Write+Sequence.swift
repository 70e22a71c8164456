extension Write {
    /// Checks the writes of one commit by what can be known without the documents: each for itself, and those that name
    /// the same document together. So a commit that no state would accept is refused for what it is.
    package static func validate(commit writes: [Write]) throws(DocumentError) {
        for write in writes { try write.validate() }
        guard writes.count > 1 else { return }
        var sequences: [ResourcePath: WriteSequence] = [:]
        for write in writes {
            if sequences[write.name.path] != nil {
                try sequences[write.name.path]?.append(write)
            } else {
                sequences[write.name.path] = WriteSequence(write)
            }
        }
    }
}

/// Several writes of one commit to one document. They are one change of it: the first brings the condition on the stored
/// document, and what follows may not ask for anything that the writes before it decide.
private struct WriteSequence {
    private let updateTime: Timestamp?
    private var last: DocumentError.WriteKind

    init(_ write: Write) {
        self.updateTime = write.requiredUpdateTime
        self.last = write.kind
    }

    mutating func append(_ write: Write) throws(DocumentError) {
        let next = write.kind
        switch (self.last, next) {
        case (.verify, _), (_, .verify):
            throw DocumentError(.verifiedAndWritten)
        case (.delete, .update):
            throw DocumentError(.contradictingWrites(self.last, next))
        case (.delete, _):
            if write.precondition == .exists(true) { throw DocumentError(.contradictingWrites(self.last, next)) }
        case (.upsert, _), (.update, _), (.insert, _):
            if write.precondition == .exists(false) { throw DocumentError(.contradictingWrites(self.last, next)) }
        }
        if let required = write.requiredUpdateTime, required != self.updateTime {
            throw DocumentError(.differingUpdateTimes)
        }
        self.last = next
    }
}

extension DocumentError {
    /// What a write does to a document, by its operation and its precondition.
    package enum WriteKind: String, Hashable, Sendable {
        case upsert, insert, update, delete, verify
    }
}

extension Write {
    fileprivate var requiredUpdateTime: Timestamp? {
        if case .updateTime(let time)? = self.precondition { time } else { nil }
    }

    fileprivate var kind: DocumentError.WriteKind {
        switch (self.operation, self.precondition) {
        case (.delete, _): .delete
        case (.verify, _): .verify
        case (_, nil): .upsert
        case (_, .exists(false)): .insert
        case (_, .exists(true)), (_, .updateTime): .update
        }
    }
}
