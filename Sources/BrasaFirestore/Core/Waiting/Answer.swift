internal import BrasaSync
internal import Dispatch
internal import Foundation
internal import Synchronization

/// What a thread waits for, and something that does not need that thread gives.
final class Answer<Value: Sendable>: Sendable {
    private let result = Mutex<Result<Value, any Error>?>(nil)
    private let isGiven = DispatchSemaphore(value: 0)

    func give(_ result: Result<Value, any Error>) {
        self.result.withLock { $0 = result }
        self.isGiven.signal()
    }

    func wait() throws -> Value {
        self.isGiven.wait()
        // Given before the signal.
        guard let result = self.result.withLock({ $0 }) else { throw SyncError.taskCancelled.nsError }
        return try result.get()
    }
}
