internal import BrasaBackoff
internal import BrasaDocuments
internal import BrasaStatus
internal import BrasaSync
internal import Foundation

/// Runs a transaction's block until its commit succeeds, a failure stays, or there were attempts enough.
struct TransactionRunner: Sendable {
    let firestore: Firestore
    let calls: any DatastoreCalls
    let attemptsMax: Int
    /// The block only reads, at a time that is given or not.
    var reading: Reading?
    var backoff = TransactionBackoff()
    var clock = TransactionClock()

    struct Reading: Sendable {
        var time: BrasaDocuments.Timestamp?
    }

    /// The block's error is thrown as it is, unless it is one of the database's that another attempt may cure.
    func run<T>(_ block: (Transaction) async throws -> T) async throws -> T {
        var backoff = self.backoff
        var attempt = 1
        while true {
            switch await self.attempt(block) {
            case .done(let value): return value
            case .failed(let error):
                guard attempt < self.attemptsMax, Self.isRetryable(error) else { throw error }
            case .uncertain(let error): throw error
            }
            attempt += 1
            do throws(SyncError) {
                try await self.clock.sleep(backoff.next())
            } catch {
                // The client's end, or the task's.
                throw error.nsError
            }
        }
    }

    private enum Outcome<T> {
        case done(T)
        case failed(any Error)
        case uncertain(any Error)
    }

    private func attempt<T>(_ block: (Transaction) async throws -> T) async -> Outcome<T> {
        let transaction = Transaction(
            firestore: self.firestore,
            calls: self.calls,
            clock: self.clock,
            point: self.reading.map { ReadPoint(at: $0.time) }
        )
        let value: T
        do {
            value = try await block(transaction)
        } catch {
            transaction.abandon()
            return .failed(error)
        }
        guard !Task.isCancelled else {
            transaction.abandon()
            return .failed(SyncError.taskCancelled.nsError)
        }
        do throws(CommitFailure) {
            try await transaction.commit()
            return .done(value)
        } catch {
            switch error {
            case .notApplied(let error): return .failed(error.nsError)
            case .uncertain(let lost):
                let text = "Nobody knows whether the transaction was committed: \(lost.message)"
                return .uncertain(SyncError(.unknown, text).nsError)
            }
        }
    }

    static func isRetryable(_ error: any Error) -> Bool {
        switch FirestoreErrorCode(error)?.code {
        case .aborted, .alreadyExists, .failedPrecondition, .cancelled, .unknown, .deadlineExceeded,
            .resourceExhausted, .internal, .unavailable, .unauthenticated:
            true
        default: false
        }
    }
}

/// The waits between attempts, by the same rule as those of connections and streams.
struct TransactionBackoff: Sendable {
    private var delays = BackoffDelays()
    var random: @Sendable () -> Double = { .random(in: 0..<1) }

    mutating func next() -> Duration {
        self.delays.next(spent: .zero, chance: self.random())
    }
}

/// Time as transactions see it; tests have one of their own.
struct TransactionClock: Sendable {
    var now: @Sendable () -> ContinuousClock.Instant = { .now }
    /// Ends early, by throwing, with the client or the task.
    var sleep: @Sendable (Duration) async throws(SyncError) -> Void = CallGate().sleep
}
