internal import BrasaApp
internal import BrasaDocuments
internal import BrasaStatus
internal import BrasaSync
internal import Foundation
internal import Synchronization

extension ClientCore {
    /// Asks the engine for something and waits for it. A task that is cancelled stops waiting; then what `ask` gave is
    /// called on the executor.
    nonisolated(nonsending) func wait<Value: Sendable>(
        for ask: @escaping (SyncClient, @escaping (Result<Value, SyncError>) -> Void) -> (() -> Void)?
    ) async throws -> Value {
        try await self.wait(EngineWait()) { client, _, end in ask(client, end) }
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
        try await self.wait(EngineWait(isForWrites: true)) {
            (client, wait, end: @escaping (Result<Void, SyncError>) -> Void) in
            client.write(
                writes,
                ended: { wait.stopWaiting(.terminatedFirst) },
                completion: { error in end(error.map { .failure($0) } ?? .success(())) }
            )
            return nil
        }
    }

    nonisolated(nonsending) private func wait<Value: Sendable>(
        _ wait: EngineWait,
        ask: @escaping (SyncClient, EngineWait, @escaping (Result<Value, SyncError>) -> Void) -> (() -> Void)?
    ) async throws -> Value {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Value, any Error>) in
                guard wait.begin(failing: { continuation.resume(throwing: $0) }) else { return }
                self.run { client in
                    guard wait.beginAsking() else { return }
                    let stop = ask(client, wait) { result in
                        if wait.end() { continuation.resume(with: result.mapError { $0.nsError as any Error }) }
                    }
                    wait.endAsking(stop: stop)
                }
            }
        } onCancel: {
            wait.stopWaiting(.taskCancelled)
            self.run { _ in wait.stop() }
        }
    }
}

/// A task's wait for the engine. It ends once: with the answer, or without one. It knows nothing of the answer's type, of
/// which the runtime would have to be told with each call.
private final class EngineWait: Sendable {
    private enum Phase {
        case waiting
        /// The engine is being asked: what it takes over is known when that is done.
        case asking
        case asked
        case over
    }

    private struct State {
        var phase = Phase.waiting
        /// Ends the wait without an answer. Nil when it has ended, or has not begun.
        var fail: Failing?
        /// Why nobody waits for the answer any more.
        var unheard: NSError?
        /// Takes back what was asked; used on the executor.
        var stop: Stop?

        /// Nil when the wait has ended.
        mutating func finish() -> Failing? {
            self.phase = .over
            return self.fail.take()
        }
    }

    typealias Failing = @Sendable (NSError) -> Void

    // @unchecked: it is made and called on the executor.
    private struct Stop: @unchecked Sendable {
        let call: () -> Void
    }

    private let state = Mutex(State())
    private let isForWrites: Bool

    init(isForWrites: Bool = false) {
        self.isForWrites = isForWrites
    }

    /// False when the task was cancelled before.
    func begin(failing fail: @escaping Failing) -> Bool {
        let unheard = self.state.withLock { state in
            if state.unheard == nil { state.fail = fail }
            return state.unheard
        }
        if let unheard { fail(unheard) }
        return unheard == nil
    }

    /// There is an answer. False when nobody waits for it any more.
    func end() -> Bool {
        self.state.withLock { $0.finish() } != nil
    }

    /// The answer will not be heard.
    func stopWaiting(_ error: SyncError) {
        let (unheard, fail) = self.state.withLock { state in
            let isAsked = state.phase != .waiting
            let unheard = isAsked && self.isForWrites ? error.nsErrorOfQueuedWrite : error.nsError
            if state.phase != .over { state.unheard = unheard }
            return (unheard, state.phase == .asking ? nil : state.finish())
        }
        fail?(unheard)
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
        let stop = stop.map { Stop(call: $0) }
        let (unheard, fail) = self.state.withLock { state in
            state.stop = stop
            if state.phase == .asking { state.phase = .asked }
            return (state.unheard, state.unheard == nil ? nil : state.finish())
        }
        if let unheard { fail?(unheard) }
    }

    func stop() {
        let stop = self.state.withLock { $0.stop.take() }
        stop?.call()
    }
}

extension SyncError {
    /// The waiting has ended, the write goes on.
    var nsErrorOfQueuedWrite: NSError {
        NSError(
            self.firestoreCode,
            "\(self.message) The write is queued all the same.",
            isWriteQueued: true,
            cause: self.cause?.error
        )
    }
}
