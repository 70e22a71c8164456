internal import BrasaDocuments
internal import BrasaStatus
internal import BrasaSync
internal import Synchronization

/// The server's id of one run of a transaction. Reads do without it, so nothing is locked while users think. It makes the
/// commit happen once at most: when an answer is lost, the server's answer to a rollback tells what became of the commit,
/// and from then on that stays so.
final class TransactionID: Sendable {
    private typealias Begin = Task<Result<Begun, CallFailure>, Never>

    private struct Begun {
        let id: [UInt8]
        /// When this is over, the server may say of a transaction that was never committed what it says of one that was:
        /// that it is no longer valid.
        let knownUntil: ContinuousClock.Instant
    }

    /// How often the server is asked what became of a commit, and how long in all.
    private static let questionsMax = 16
    private static let questionTime = Duration.seconds(60)
    /// Well below the 270 seconds that transactions live, since clocks differ.
    private static let knownFor = Duration.seconds(240)

    private let calls: any DatastoreCalls
    private let clock: TransactionClock
    private let begin = Mutex<Begin?>(nil)

    init(_ calls: any DatastoreCalls, clock: TransactionClock) {
        self.calls = calls
        self.clock = clock
    }

    /// Asks for it, so that it is there when it is needed.
    func request() {
        _ = self.requested()
    }

    private func requested() -> Begin {
        self.begin.withLock { begin in
            if let begin { return begin }
            let calls = self.calls
            let knownUntil = self.clock.now() + Self.knownFor
            let task = Begin {
                do throws(CallFailure) {
                    return .success(Begun(id: try await calls.beginTransaction(), knownUntil: knownUntil))
                } catch {
                    return .failure(error)
                }
            }
            begin = task
            return task
        }
    }

    /// A task that is cancelled commits nothing, unless the commit was sent: then it ends as the commit does.
    func commit(_ writes: [Write]) async throws(CommitFailure) {
        let begun = try await self.begun()
        let failure: CallFailure
        do {
            return try await self.calls.commit(writes, transaction: begun.id)
        } catch {
            failure = error
        }
        guard failure.mayHaveBeenApplied else {
            if Task.isCancelled { self.abandon() }
            throw .notApplied(failure.error)
        }
        // The answer is wanted, also by a task that is cancelled.
        let answer = Task {
            await Result { () async throws(CommitFailure) in try await self.findOut(begun, failure.error) }
        }
        try await answer.value.get()
    }

    /// Waits for the server to begin the transaction, but not past the task's cancellation.
    private func begun() async throws(CommitFailure) -> Begun {
        let begin = self.requested()
        let pause = Pause()
        Task {
            _ = await begin.value
            pause.end()
        }
        await pause.wait()
        guard !Task.isCancelled else {
            self.abandon()
            throw .notApplied(.taskCancelled)
        }
        switch await begin.value {
        case .success(let begun): return begun
        case .failure(let failure): throw .notApplied(failure.error)
        }
    }

    /// Returns when the commit was applied. `lost` says how its answer was lost.
    private func findOut(_ begun: Begun, _ lost: SyncError) async throws(CommitFailure) {
        let end = self.clock.now() + Self.questionTime
        var wait = Duration.milliseconds(100)
        for _ in 0..<Self.questionsMax {
            let remaining = end - self.clock.now()
            guard remaining > .zero else { break }
            switch await self.rollback(begun.id, within: remaining) {
            case nil: throw .notApplied(SyncError(.aborted, "The commit was not applied: \(lost.message)"))
            // What was committed, and is there to stay, cannot be rolled back.
            case .aborted? where self.clock.now() < begun.knownUntil: return
            case .aborted?: throw .uncertain(lost)
            case let code? where code.isPermanent: throw .uncertain(lost)
            default: break
            }
            do throws(SyncError) {
                try await self.clock.sleep(wait)
            } catch {
                throw .uncertain(lost)
            }
            wait = min(wait * 2, .seconds(5))
        }
        throw .uncertain(lost)
    }

    /// Nil when it was done.
    private func rollback(_ id: [UInt8], within time: Duration) async -> StatusCode? {
        do throws(CallFailure) {
            try await self.calls.rollback(transaction: id, within: time)
            return nil
        } catch {
            return error.error.code
        }
    }

    /// It will not be committed. Nobody waits for the server to know.
    func abandon() {
        guard let begin = self.begin.withLock({ $0 }) else { return }
        let calls = self.calls
        Task {
            guard case .success(let begun) = await begin.value else { return }
            try? await calls.rollback(transaction: begun.id, within: Self.questionTime)
        }
    }
}

/// Why a commit did not succeed.
enum CommitFailure: Error {
    /// Nothing was written.
    case notApplied(SyncError)
    /// Nobody knows whether it was, so doing it again might do it twice.
    case uncertain(SyncError)
}
