import BrasaDocuments
import BrasaLog
import BrasaMessages
import BrasaQueries
import BrasaStatus
import BrasaStore
import BrasaTransactions
import Testing

@testable import BrasaService

@Suite struct StatusTests {
    @Test(arguments: [
        (StoreError.Code.readTimeTooOld, StatusCode.failedPrecondition),
        (.readTimeInFuture(by: 1), .invalidArgument),
        (.readTimeBeforeCreation, .invalidArgument),
        (.resourceExhausted, .resourceExhausted),
        (.commitTooLarge, .invalidArgument),
        (.unavailable, .unavailable),
    ])
    func `Errors of the store keep their meaning and their text`(_ code: StoreError.Code, _ expected: StatusCode) {
        let error = StoreError(code)
        #expect(Status(error) == Status(expected, error.description))
    }

    @Test(arguments: [
        (TransactionError.invalidTransaction, StatusCode.invalidArgument),
        (.duplicateInBatch, .invalidArgument),
        (.expired, .aborted),
        (.expiredAfterFailure, .invalidArgument),
        (.contention, .aborted),
        (.tooMuchContention, .aborted),
        (.writesInReadOnly, .invalidArgument),
        (.retryOfReadOnly, .invalidArgument),
        (.readTimeTooOld, .failedPrecondition),
        (.exhausted(.openTransactions), .resourceExhausted),
        (.exhausted(.diskSpace), .resourceExhausted), (.memoryFull(bytesMax: 1), .resourceExhausted),
        (.commitTooLarge, .invalidArgument),
        (.tooManyWrites(allowed: 1), .invalidArgument),
        (.unavailable(reason: "The log has stopped."), .unavailable),
        (.outcomeUnknown(reason: "The log has stopped."), .dataLoss),
    ])
    func `Errors of transactions keep their meaning and their text`(
        _ error: TransactionError,
        _ expected: StatusCode
    ) {
        #expect(Status(error) == Status(expected, error.message))
    }

    @Test func `An expired transaction is told by the text that clients look for`() {
        #expect(
            Status(TransactionError.expired).message
                == "The referenced transaction has expired or is no longer valid."
        )
    }

    @Test func `A wrong query is INVALID_ARGUMENT, a vector without direction FAILED_PRECONDITION`() {
        #expect(Status(QueryError(.zeroMagnitude)).code == .failedPrecondition)
        #expect(Status(QueryError(.negativeLimit)) == Status(.invalidArgument, "limit is negative"))
    }
}
