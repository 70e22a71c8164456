internal import Synchronization

/// A task that waits for an answer, or until it is cancelled. What it waited for goes on.
final class Waiter<Value: Sendable>: Sendable {
    private enum State {
        case idle
        case waiting(CheckedContinuation<Value, any Error>)
        case finished(Result<Value, any Error>)
    }

    private let state = Mutex(State.idle)

    /// What comes after the first counts for nothing.
    func finish(_ result: Result<Value, any Error>) {
        let waiting = self.state.withLock { state -> CheckedContinuation<Value, any Error>? in
            switch state {
            case .idle:
                state = .finished(result)
                return nil
            case .waiting(let continuation):
                state = .finished(result)
                return continuation
            case .finished: return nil
            }
        }
        waiting?.resume(with: result)
    }

    nonisolated(nonsending) func wait() async throws -> Value {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let finished = self.state.withLock { state -> Result<Value, any Error>? in
                    if case .finished(let result) = state { return result }
                    state = .waiting(continuation)
                    return nil
                }
                if let finished { continuation.resume(with: finished) }
            }
        } onCancel: {
            self.finish(.failure(CancellationError()))
        }
    }
}
