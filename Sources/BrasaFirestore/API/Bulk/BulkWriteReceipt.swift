internal import BrasaSync
internal import Synchronization

/// What becomes of one write of a ``BulkWriter``.
public final class BulkWriteReceipt: Sendable {
    private struct State {
        var result: Result<Timestamp?, SyncError>?
        var waiting: [CheckedContinuation<Result<Timestamp?, SyncError>, Never>] = []
    }

    private let state = Mutex(State())

    init() {}

    /// When the document was changed; nil when it was deleted. Waits for the server, and throws what it says in the end.
    @discardableResult
    public func updateTime() async throws -> Timestamp? {
        let result = await withCheckedContinuation { continuation in
            let known = self.state.withLock { state -> Result<Timestamp?, SyncError>? in
                if state.result == nil { state.waiting.append(continuation) }
                return state.result
            }
            if let known { continuation.resume(returning: known) }
        }
        switch result {
        case .success(let time): return time
        case .failure(let error): throw error.nsError
        }
    }

    func give(_ result: Result<Timestamp?, SyncError>) {
        let waiting = self.state.withLock { state in
            state.result = result
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume(returning: result) }
    }
}
