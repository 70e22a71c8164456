import BrasaDocuments
import BrasaGRPC
import BrasaLog
import BrasaQueries
import BrasaStore
import BrasaTransactions
import Testing

@testable import BrasaService

@Suite struct StatusTests {
    @Test(arguments: [
        (StoreError.Code.readTimeTooOld, GRPCStatusCode.failedPrecondition),
        (.readTimeInFuture(by: 1), .invalidArgument),
        (.readTimeBeforeCreation, .invalidArgument),
        (.resourceExhausted, .resourceExhausted),
        (.commitTooLarge, .invalidArgument),
        (.unavailable, .unavailable),
    ])
    func `Errors of the store keep their meaning and their text`(_ code: StoreError.Code, _ expected: GRPCStatusCode) {
        let error = StoreError(code)
        #expect(GRPCStatus(error) == GRPCStatus(expected, error.description))
    }

    @Test(arguments: [
        (TransactionError.invalidTransaction, GRPCStatusCode.invalidArgument),
        (.duplicateInBatch, .invalidArgument),
        (.expired, .aborted),
        (.expiredAfterFailure, .invalidArgument),
        (.contention, .aborted),
        (.tooMuchContention, .aborted),
        (.writesInReadOnly, .invalidArgument),
        (.retryOfReadOnly, .invalidArgument),
        (.readTimeTooOld, .failedPrecondition),
        (.exhausted(.openTransactions), .resourceExhausted),
        (.exhausted(.diskSpace), .resourceExhausted),
        (.commitTooLarge, .invalidArgument),
        (.tooManyWrites(allowed: 1), .invalidArgument),
        (.unavailable(reason: "The log has stopped."), .unavailable),
        (.outcomeUnknown(reason: "The log has stopped."), .dataLoss),
    ])
    func `Errors of transactions keep their meaning and their text`(
        _ error: TransactionError,
        _ expected: GRPCStatusCode
    ) {
        #expect(GRPCStatus(error) == GRPCStatus(expected, error.message))
    }

    @Test func `An expired transaction is told by the text that clients look for`() {
        #expect(
            GRPCStatus(TransactionError.expired).message
                == "The referenced transaction has expired or is no longer valid."
        )
    }

    @Test func `A wrong query is INVALID_ARGUMENT, a vector without direction FAILED_PRECONDITION`() {
        #expect(GRPCStatus(QueryError(.zeroMagnitude)).code == .failedPrecondition)
        #expect(GRPCStatus(QueryError(.negativeLimit)) == GRPCStatus(.invalidArgument, "limit is negative"))
    }
}
