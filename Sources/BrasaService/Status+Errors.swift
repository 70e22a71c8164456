import BrasaDocuments
import BrasaMessages
import BrasaQueries
import BrasaStatus
import BrasaStore
import BrasaTransactions
import BrasaWatch

// Where errors of the engine and of queries become statuses; those of documents do beside the messages, whose codecs need
// them.

extension Status {
    init(_ error: TransactionError) {
        let code: StatusCode =
            switch error.code {
            case .invalidArgument: .invalidArgument
            case .notFound: .notFound
            case .alreadyExists: .alreadyExists
            case .failedPrecondition: .failedPrecondition
            case .aborted: .aborted
            case .resourceExhausted: .resourceExhausted
            case .unavailable: .unavailable
            case .dataLoss: .dataLoss
            }
        self.init(code, error.message)
    }

    init(_ error: StoreError) {
        let code: StatusCode =
            switch error.code {
            case .readTimeTooOld: .failedPrecondition
            case .readTimeInFuture, .readTimeBeforeCreation, .commitTooLarge: .invalidArgument
            case .resourceExhausted, .diskFull, .memoryFull, .tooMuchLeft: .resourceExhausted
            case .unavailable, .unrecoverable: .unavailable
            }
        self.init(code, error.description)
    }

    init(_ error: QueryError) {
        let code: StatusCode =
            switch error.code {
            case .invalidArgument: .invalidArgument
            case .failedPrecondition: .failedPrecondition
            }
        self.init(code, error.message)
    }

    /// Of a write: a code that no official client repeats by itself, not even by running a transaction again
    /// (docs/architecture.md, "Errors").
    static func applied(_ message: String) -> Status { Status(.dataLoss, message) }

    static let shuttingDown = Status(.unavailable, "The server is shutting down")
    /// Says nothing of why.
    static let permissionDenied = Status(.permissionDenied, "Missing or insufficient permissions.")
    static let onlyStructuredQueries = Status(.invalidArgument, "only structured queries are supported")
    static let onlyStructuredAggregations = Status(
        .invalidArgument,
        "Only structured aggregation queries are supported."
    )
    static let invalidPageToken = Status(.invalidArgument, "invalid page token")
    static let negativePageSize = Status(.invalidArgument, "Page size must be nonnegative.")
    static let unalignedReadTime = Status(
        .invalidArgument,
        "The requested 'read_time' must be in whole microseconds."
    )
}

extension Status {
    init(_ failure: TargetFailure) {
        let code: StatusCode
        switch failure {
        case .duplicateID: code = .alreadyExists
        case .allCollections, .nearest, .tooManyDocuments: code = .invalidArgument
        case .tooManyTargets, .selectionTooLarge, .windowTooLarge, .windowTooBusy: code = .resourceExhausted
        case .store(let error):
            self = Status(error)
            return
        }
        self.init(code, failure.description)
    }
}
