import BrasaDocuments
import BrasaGRPC
import BrasaQueries
import BrasaStore
import BrasaTransactions
import BrasaWatch
import BrasaWire

// Where errors of the engine and of queries become gRPC statuses; those of documents do in the wire room, which needs
// them for the statuses inside messages.

extension GRPCStatus {
    init(_ error: TransactionError) {
        let code: GRPCStatusCode =
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
        let code: GRPCStatusCode =
            switch error.code {
            case .readTimeTooOld: .failedPrecondition
            case .readTimeInFuture, .readTimeBeforeCreation, .commitTooLarge: .invalidArgument
            case .resourceExhausted, .diskFull: .resourceExhausted
            case .unavailable, .unrecoverable: .unavailable
            }
        self.init(code, error.description)
    }

    init(_ error: QueryError) {
        let code: GRPCStatusCode =
            switch error.code {
            case .invalidArgument: .invalidArgument
            case .failedPrecondition: .failedPrecondition
            }
        self.init(code, error.message)
    }

    /// Of a write: a code that no official client repeats by itself, not even by running a transaction again
    /// (docs/architecture.md, "Errors").
    static func applied(_ message: String) -> GRPCStatus { GRPCStatus(.dataLoss, message) }

    static let onlyStructuredQueries = GRPCStatus(.invalidArgument, "only structured queries are supported")
    static let onlyStructuredAggregations = GRPCStatus(
        .invalidArgument,
        "Only structured aggregation queries are supported."
    )
    static let invalidPageToken = GRPCStatus(.invalidArgument, "invalid page token")
    static let negativePageSize = GRPCStatus(.invalidArgument, "Page size must be nonnegative.")
    static let unalignedReadTime = GRPCStatus(
        .invalidArgument,
        "The requested 'read_time' must be in whole microseconds."
    )
}

extension GRPCStatus {
    init(_ failure: TargetFailure) {
        let code: GRPCStatusCode
        switch failure {
        case .duplicateID: code = .alreadyExists
        case .allCollections, .nearest, .tooManyDocuments: code = .invalidArgument
        case .tooManyTargets, .selectionTooLarge, .windowTooLarge, .windowTooBusy: code = .resourceExhausted
        case .store(let error):
            self = GRPCStatus(error)
            return
        }
        self.init(code, failure.description)
    }
}
