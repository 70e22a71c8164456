import BrasaStore

extension TransactionError {
    init(_ error: StoreError) {
        switch error.code {
        case .readTimeTooOld: self = .readTimeTooOld
        case .readTimeInFuture(let by): self = .readTimeInFuture(microseconds: by)
        case .readTimeBeforeCreation: self = .readTimeBeforeCreation
        case .resourceExhausted: self = .exhausted(.queuedWrites)
        case .diskFull: self = .exhausted(.diskSpace)
        case .memoryFull(let bytesMax): self = .memoryFull(bytesMax: bytesMax)
        case .tooMuchLeft: self = .exhausted(.leftWrites)
        case .commitTooLarge: self = .commitTooLarge
        case .unavailable, .unrecoverable: self = .unavailable(reason: error.description)
        }
    }

    /// Of a commit whose record the log has taken: from then on no failure of the log says that it did not happen.
    init(afterAppending error: StoreError) {
        let reason = error.description
        self = error.isSurelyNotDone ? .unavailable(reason: reason) : .outcomeUnknown(reason: reason)
    }
}
