import BrasaTransactions
package import BrasaTree

/// What came of a write, once that is durable.
package enum TreeWriteResult: Sendable {
    package enum Failure: Hashable, Sendable {
        /// There is no room now, or the server stops: nothing was written.
        case unavailable
        /// More than one write may be.
        case tooLarge
        /// It may have been written.
        case unknown
    }

    case written
    /// What is there is not what the writer expected.
    case stale
    /// Rules do not allow it.
    case denied
    case refused(TreeError)
    case failed(Failure, String)
}

extension TreeWriteResult {
    init(_ result: Result<BrasaTransactions.TreeOutcome, TransactionError>) {
        switch result {
        case .success(.committed): self = .written
        case .success(.stale): self = .stale
        case .success(.denied): self = .denied
        case .success(.refused(let error)): self = .refused(error)
        case .failure(let error): self = .failed(Failure(error), error.message)
        }
    }
}

extension TreeWriteResult.Failure {
    init(_ error: TransactionError) {
        switch error.code {
        case .resourceExhausted, .unavailable, .aborted: self = .unavailable
        case .dataLoss: self = .unknown
        case .invalidArgument, .notFound, .alreadyExists, .failedPrecondition: self = .tooLarge
        }
    }
}
