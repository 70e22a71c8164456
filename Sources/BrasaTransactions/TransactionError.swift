package import BrasaDocuments

/// Why an operation was refused, for one call. Code and text are made from the case.
package enum TransactionError: Error, Hashable, Sendable {
    /// The protocol's status codes that can occur here.
    package enum Code: Hashable, Sendable {
        case invalidArgument, notFound, alreadyExists, failedPrecondition, aborted, resourceExhausted, unavailable,
            dataLoss
    }

    /// A write was malformed or its precondition failed.
    case document(DocumentError)
    case duplicateInBatch
    /// Never issued, forgotten, or of another database.
    case invalidTransaction
    /// Over, in a way that a client may mend by running it again.
    case expired
    /// Over because its commit failed for good.
    case expiredAfterFailure
    case writesInReadOnly
    case retryOfReadOnly
    /// Lost against an older transaction.
    case contention
    /// What the commit was worked out on has changed: it has not happened, and may be worked out again.
    case outdated
    /// Waited too long.
    case tooMuchContention
    case readTimeTooOld
    /// So far past everything that can be read yet; a caller may wait for a little of that.
    case readTimeInFuture(microseconds: Int64)
    case readTimeBeforeCreation
    case exhausted(Bound)
    /// What the server keeps in memory would be more than it may.
    case memoryFull(bytesMax: Int)
    /// The changes do not fit one record of the log, or take too much to work out.
    case commitTooLarge
    /// Of one request.
    case tooManyWrites(allowed: Int)
    /// The log has stopped, or the server stops. What was asked for has not happened, and will not.
    case unavailable(reason: String)
    /// The log has stopped with the commit's record on its way to stable storage: whether it got there is known when a
    /// restart has recovered. Never to be repeated without a look.
    case outcomeUnknown(reason: String)

    package enum Bound: String, Hashable, Sendable {
        case openTransactions = "open transactions"
        case lockedDocuments = "locked documents"
        case lockedRanges = "queries in open transactions"
        case waitingRequests = "requests waiting for locks"
        case queuedWrites = "writes waiting for the disk"
        case databases = "databases"
        case diskSpace = "bytes on the disk"
        case leftWrites = "writes left by sessions"
    }

    package var code: Code {
        switch self {
        case .document(let error):
            switch error.code {
            case .invalidArgument: .invalidArgument
            case .notFound: .notFound
            case .alreadyExists: .alreadyExists
            case .failedPrecondition: .failedPrecondition
            }
        case .duplicateInBatch, .commitTooLarge, .tooManyWrites, .invalidTransaction, .expiredAfterFailure,
            .writesInReadOnly,
            .retryOfReadOnly,
            .readTimeInFuture, .readTimeBeforeCreation:
            .invalidArgument
        case .expired, .contention, .outdated, .tooMuchContention: .aborted
        case .readTimeTooOld: .failedPrecondition
        case .exhausted, .memoryFull: .resourceExhausted
        case .unavailable: .unavailable
        case .outcomeUnknown: .dataLoss
        }
    }

    /// Clients match some of these (reference, 6.7).
    package var message: String {
        switch self {
        case .document(let error): error.message
        case .duplicateInBatch: "the same document cannot be written more than once in a single request"
        case .invalidTransaction: "Invalid transaction."
        case .expired, .expiredAfterFailure: "The referenced transaction has expired or is no longer valid."
        case .writesInReadOnly: "Cannot modify entities in a read-only transaction."
        case .retryOfReadOnly: "Cannot retry a read-only transaction"
        case .contention, .outdated:
            "Aborted due to cross-transaction contention. This occurs when multiple transactions attempt to access "
                + "the same data, requiring Firestore to abort at least one in order to enforce serializability."
        case .tooMuchContention: "Too much contention on these documents. Please try again."
        case .readTimeTooOld: "The requested snapshot version is too old."
        case .readTimeInFuture: "The requested 'read_time' cannot be in the future."
        case .readTimeBeforeCreation: "The requested 'read_time' cannot be before database creation time."
        case .exhausted(.diskSpace): "The server's disk is full: nothing was written. Please try again later."
        case .memoryFull(let bytesMax):
            "The server keeps as much in memory as it may, \(bytesMax) bytes (--max-memory): nothing was written. "
                + "Deletes and reads go on. Please try again later."
        case .exhausted(let bound): "Too many \(bound.rawValue). Please try again later."
        case .commitTooLarge: "The commit exceeds the maximum allowed size."
        case .tooManyWrites(let allowed): "maximum \(allowed) writes allowed per request"
        case .unavailable(let reason): reason
        case .outcomeUnknown(let reason):
            "\(reason) Whether the commit happened is not known before the next start; to repeat it may apply it twice."
        }
    }
}
