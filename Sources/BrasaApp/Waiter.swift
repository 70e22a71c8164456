public import Synchronization

/// A task's wait for a value, which ends once: with the first that there is, or when the task is cancelled. What it waited
/// for goes on.
///
/// Inlinable, and so usable from inline itself: the libraries have it for the types of their values as if it were their own.
@usableFromInline
package final class Waiter<Value: Sendable>: Sendable {
    @usableFromInline
    enum State {
        case idle
        case waiting(CheckedContinuation<Value, Never>)
        case finished(Value)
    }

    @usableFromInline
    let state = Mutex(State.idle)

    @inlinable
    package init() {}

    /// What comes after the first counts for nothing.
    @inlinable
    package func finish(_ value: Value) {
        let waiting = self.state.withLock { state -> CheckedContinuation<Value, Never>? in
            switch state {
            case .idle:
                state = .finished(value)
                return nil
            case .waiting(let continuation):
                state = .finished(value)
                return continuation
            case .finished: return nil
            }
        }
        waiting?.resume(returning: value)
    }

    /// One task at a time.
    /// - Parameter value: what it ends with when the task is cancelled.
    @inlinable
    nonisolated(nonsending) package func wait(orWhenCancelled value: Value) async -> Value {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let finished = self.state.withLock { state -> Value? in
                    if case .finished(let value) = state { return value }
                    state = .waiting(continuation)
                    return nil
                }
                if let finished { continuation.resume(returning: finished) }
            }
        } onCancel: {
            self.finish(value)
        }
    }
}

extension Waiter {
    /// The same for what can fail, by cancellation, too.
    @inlinable
    nonisolated(nonsending) package func wait<Success>() async throws -> Success
    where Value == Result<Success, any Error> {
        try await self.wait(orWhenCancelled: .failure(CancellationError())).get()
    }
}
