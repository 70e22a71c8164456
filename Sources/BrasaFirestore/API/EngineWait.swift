internal import BrasaSync
internal import Foundation
internal import Synchronization

extension ClientCore {
    /// Asks the engine for something and waits for it. A task that is cancelled stops waiting; then what `ask` gave is
    /// called on the executor.
    nonisolated(nonsending) func wait<Value: Sendable>(
        for ask: @escaping (SyncClient, @escaping (Result<Value, SyncError>) -> Void) -> (() -> Void)?
    ) async throws -> Value {
        let wait = EngineWait<Value>()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                guard wait.begin(continuation) else { return }
                self.run { client in
                    guard wait.isWaiting else { return }
                    wait.stop(by: ask(client) { wait.end($0) })
                }
            }
        } onCancel: {
            wait.end(.failure(SyncError(.cancelled, "The task was cancelled.")))
            self.run { _ in wait.stop() }
        }
    }

    /// For what is not taken back when a task stops waiting for it.
    nonisolated(nonsending) func wait(
        for ask: @escaping (SyncClient, @escaping (SyncError?) -> Void) -> Void
    ) async throws {
        try await self.wait { (client, done: @escaping (Result<Void, SyncError>) -> Void) in
            ask(client) { error in done(error.map { .failure($0) } ?? .success(())) }
            return nil
        }
    }
}

/// A task's wait for the engine. It ends once, with the answer or with the task's cancellation.
private final class EngineWait<Value: Sendable>: Sendable {
    private struct State {
        var continuation: CheckedContinuation<Value, any Error>?
        var isOver = false
        /// Takes back what was asked; used on the executor.
        var stop: Unchecked<() -> Void>?
    }

    private let state = Mutex(State())

    var isWaiting: Bool { self.state.withLock { !$0.isOver } }

    /// False when the task was cancelled before.
    func begin(_ continuation: CheckedContinuation<Value, any Error>) -> Bool {
        let isOver = self.state.withLock { state in
            if !state.isOver { state.continuation = continuation }
            return state.isOver
        }
        if isOver { continuation.resume(throwing: SyncError(.cancelled, "The task was cancelled.").nsError) }
        return !isOver
    }

    func end(_ result: Result<Value, SyncError>) {
        let continuation = self.state.withLock { state in
            state.isOver = true
            defer { state.continuation = nil }
            return state.continuation
        }
        continuation?.resume(with: result.mapError { $0.nsError as any Error })
    }

    // MARK: On the executor

    func stop(by stop: (() -> Void)?) {
        let stop = stop.map { Unchecked($0) }
        self.state.withLock { $0.stop = stop }
    }

    func stop() {
        let stop = self.state.withLock { state in
            defer { state.stop = nil }
            return state.stop
        }
        stop?.value()
    }
}
