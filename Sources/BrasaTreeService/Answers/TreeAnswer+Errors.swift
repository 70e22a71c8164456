import BrasaTransactions

extension TreeAnswer {
    /// Of a write that the engine refused.
    init(_ error: TransactionError) {
        switch error {
        case .commitTooLarge, .tooManyWrites: self = .tooMuchToWrite
        case .outcomeUnknown: self = .error(500, error.message)
        default:
            switch error.code {
            case .invalidArgument, .notFound, .alreadyExists, .failedPrecondition: self = .error(400, error.message)
            case .dataLoss: self = .error(500, error.message)
            case .aborted, .resourceExhausted, .unavailable: self = .error(503, error.message)
            }
        }
    }
}
