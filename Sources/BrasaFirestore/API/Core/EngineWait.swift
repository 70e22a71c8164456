internal import BrasaApp
internal import BrasaDocuments
internal import BrasaSync
internal import Foundation
internal import Synchronization

extension ClientCore {
    /// Asks the engine for something and waits for it. A task that is cancelled stops waiting; then what `ask` gave is
    /// called on the executor.
    nonisolated(nonsending) func wait<Value: Sendable>(
        for ask: @escaping (SyncClient, @escaping (Result<Value, SyncError>) -> Void) -> (() -> Void)?
    ) async throws -> Value {
        try await self.wait(EngineWait<Value>()) { client, wait in ask(client) { wait.end($0) } }
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

    /// Queues writes and waits for the server's answer. Errors of tasks that stop waiting say whether the writes are in
    /// the queue: those of a task that is cancelled before are never put there.
    nonisolated(nonsending) func write(_ writes: [Write]) async throws {
        try await self.wait(EngineWait<Void>(isForWrites: true)) { client, wait in
            client.write(
                writes,
                ended: { wait.stopWaiting(.terminatedFirst) },
                completion: { error in wait.end(error.map { .failure($0) } ?? .success(())) }
            )
            return nil
        }
    }

    nonisolated(nonsending) private func wait<Value: Sendable>(
        _ wait: EngineWait<Value>,
        ask: @escaping (SyncClient, EngineWait<Value>) -> (() -> Void)?
    ) async throws -> Value {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                guard wait.begin(continuation) else { return }
                self.run { client in
                    guard wait.beginAsking() else { return }
                    wait.endAsking(stop: ask(client, wait))
                }
            }
        } onCancel: {
            wait.stopWaiting(.taskCancelled)
            self.run { _ in wait.stop() }
        }
    }
}

/// A task's wait for the engine. It ends once: with the answer, or without one.
private final class EngineWait<Value: Sendable>: Sendable {
    private enum Phase {
        case waiting
        /// The engine is being asked: what it takes over is known when that is done.
        case asking
        case asked
        case over
    }

    private struct State {
        var phase = Phase.waiting
        var continuation: CheckedContinuation<Value, any Error>?
        /// Why nobody waits for the answer any more.
        var unheard: NSError?
        /// Takes back what was asked; used on the executor.
        var stop: Handed<() -> Void>?

        mutating func finish() -> CheckedContinuation<Value, any Error>? {
            self.phase = .over
            defer { self.continuation = nil }
            return self.continuation
        }
    }

    private let state = Mutex(State())
    private let isForWrites: Bool

    init(isForWrites: Bool = false) {
        self.isForWrites = isForWrites
    }

    /// False when the task was cancelled before.
    func begin(_ continuation: CheckedContinuation<Value, any Error>) -> Bool {
        let unheard = self.state.withLock { state in
            if state.unheard == nil { state.continuation = continuation }
            return state.unheard
        }
        if let unheard { continuation.resume(throwing: unheard) }
        return unheard == nil
    }

    func end(_ result: Result<Value, SyncError>) {
        let continuation = self.state.withLock { $0.finish() }
        continuation?.resume(with: result.mapError { $0.nsError as any Error })
    }

    /// The answer will not be heard.
    func stopWaiting(_ error: SyncError) {
        let (unheard, continuation) = self.state.withLock { state in
            let isAsked = state.phase != .waiting
            let unheard = isAsked && self.isForWrites ? error.nsErrorOfQueuedWrite : error.nsError
            if state.phase != .over { state.unheard = unheard }
            return (unheard, state.phase == .asking ? nil : state.finish())
        }
        continuation?.resume(throwing: unheard)
    }

    // MARK: On the executor

    /// False when nobody waits any more.
    func beginAsking() -> Bool {
        self.state.withLock { state in
            guard state.phase == .waiting else { return false }
            state.phase = .asking
            return true
        }
    }

    func endAsking(stop: (() -> Void)?) {
        let stop = stop.map { Handed($0) }
        let (unheard, continuation) = self.state.withLock { state in
            state.stop = stop
            if state.phase == .asking { state.phase = .asked }
            return (state.unheard, state.unheard == nil ? nil : state.finish())
        }
        if let unheard { continuation?.resume(throwing: unheard) }
    }

    func stop() {
        let stop = self.state.withLock { state in
            defer { state.stop = nil }
            return state.stop
        }
        stop?.value()
    }
}

extension SyncError {
    /// The waiting has ended, the write goes on.
    var nsErrorOfQueuedWrite: NSError {
        NSError(self.firestoreCode, "\(self.message) The write is queued all the same.", isWriteQueued: true)
    }
}
