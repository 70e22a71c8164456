internal import BrasaDocuments
internal import BrasaSync
internal import Synchronization

/// The server's id of one run of a transaction. Reads do without it, so nothing is locked while users think. It makes the
/// commit happen once at most: when an answer is lost, the server's answer to a rollback tells what became of the commit,
/// and from then on that stays so.
final class TransactionID: Sendable {
    private typealias Begin = Task<Result<[UInt8], CallFailure>, Never>

    /// How often the server is asked what became of a commit: for a minute or so.
    private static let questionsMax = 16

    private let calls: any DatastoreCalls
    private let begin = Mutex<Begin?>(nil)

    init(_ calls: any DatastoreCalls) {
        self.calls = calls
    }

    /// Asks for it, so that it is there when it is needed.
    func request() {
        _ = self.requested()
    }

    private func requested() -> Begin {
        self.begin.withLock { begin in
            if let begin { return begin }
            let calls = self.calls
            let task = Begin {
                do throws(CallFailure) { return .success(try await calls.beginTransaction()) } catch {
                    return .failure(error)
                }
            }
            begin = task
            return task
        }
    }

    func commit(_ writes: [Write]) async throws(CommitFailure) {
        let id: [UInt8]
        switch await self.requested().value {
        case .success(let begun): id = begun
        case .failure(let failure): throw .notApplied(failure.error)
        }
        do {
            try await self.calls.commit(writes, transaction: id)
        } catch {
            guard error.mayHaveBeenApplied else { throw .notApplied(error.error) }
            try await self.findOut(id, error.error)
        }
    }

    /// Returns when the commit was applied. `lost` says how its answer was lost.
    private func findOut(_ id: [UInt8], _ lost: SyncError) async throws(CommitFailure) {
        var wait = Duration.milliseconds(100)
        for _ in 0..<Self.questionsMax {
            switch await self.rollback(id) {
            case nil: throw .notApplied(SyncError(.aborted, "The commit was not applied: \(lost.message)"))
            // What was committed cannot be rolled back.
            case .aborted?: return
            case let code? where code.isPermanent: throw .uncertain(lost)
            default: break
            }
            guard (try? await Task.sleep(for: wait)) != nil else { throw .uncertain(lost) }
            wait = min(wait * 2, .seconds(5))
        }
        throw .uncertain(lost)
    }

    /// Nil when it was done.
    private func rollback(_ id: [UInt8]) async -> SyncError.Code? {
        do throws(CallFailure) {
            try await self.calls.rollback(transaction: id)
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
            guard case .success(let id) = await begin.value else { return }
            try? await calls.rollback(transaction: id)
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
