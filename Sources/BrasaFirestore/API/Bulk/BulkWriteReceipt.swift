internal import BrasaStatus
internal import BrasaSync
internal import Foundation
internal import Synchronization

/// What becomes of one write of a ``BulkWriter``.
public final class BulkWriteReceipt: Sendable {
    private struct State {
        var result: Result<Timestamp?, SyncError>?
        var waiting: [Pause] = []
    }

    private let state = Mutex(State())

    init() {}

    var waitingCount: Int { self.state.withLock { $0.waiting.count } }

    /// When the document was changed; nil when it was deleted. Waits for the server, and throws what it says in the end. A
    /// task that is cancelled stops waiting, with the code `cancelled`; the write goes on.
    @discardableResult
    nonisolated(nonsending) public func updateTime() async throws -> Timestamp? {
        let pause = Pause()
        self.state.withLock { state in
            if state.result == nil { state.waiting.append(pause) } else { pause.end() }
        }
        await pause.wait()
        let result = self.state.withLock { state in
            state.waiting.removeAll { $0 === pause }
            return state.result
        }
        switch result {
        case .success(let time)?: return time
        case .failure(let error)?: throw error.nsError
        case nil: throw SyncError.taskCancelled.nsErrorOfBulkWrite
        }
    }

    func give(_ result: Result<Timestamp?, SyncError>) {
        let waiting = self.state.withLock { state in
            state.result = result
            defer { state.waiting = [] }
            return state.waiting
        }
        for pause in waiting { pause.end() }
    }
}

extension SyncError {
    /// The waiting has ended, the write goes on, though in no queue that outlives the client.
    fileprivate var nsErrorOfBulkWrite: NSError {
        NSError(
            self.firestoreCode,
            "\(self.message) The bulk writer goes on with the write, as long as the client is not terminated.",
            isWriteQueued: true,
            cause: self.cause?.error
        )
    }
}
