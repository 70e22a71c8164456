internal import BrasaStatus
internal import BrasaSync
internal import Synchronization

/// Whether calls may go to the server: not while the user has disabled the network, and never again after the client's
/// end, which also ends every wait for the next attempt.
final class CallGate: Sendable {
    private enum Position {
        case open, closed
        case ended(SyncError)

        var isClosed: Bool { if case .closed = self { true } else { false } }
        var isEnded: Bool { if case .ended = self { true } else { false } }
    }

    private struct State {
        var position: Position
        var lastPause: UInt64 = 0
        /// Those who wait for a change, as many as there are tasks that wait.
        var pauses: [UInt64: Pause] = [:]
    }

    private let state: Mutex<State>

    /// Open, or at its end from the start.
    init(ended error: SyncError? = nil) {
        self.state = Mutex(State(position: error.map { .ended($0) } ?? .open))
    }

    /// How many tasks wait for a change.
    var waitingCount: Int { self.state.withLock { $0.pauses.count } }

    var isEnded: Bool { self.state.withLock { $0.position.isEnded } }

    /// Why no call may go now.
    func check() throws(SyncError) {
        switch self.state.withLock({ $0.position }) {
        case .open: return
        case .closed: throw SyncError(.unavailable, "The network is disabled.")
        case .ended(let error): throw error
        }
    }

    func checkEnd() throws(SyncError) {
        if case .ended(let error) = self.state.withLock({ $0.position }) { throw error }
    }

    /// Waits while the network is disabled.
    private func pass() async throws(SyncError) {
        while true {
            guard !Task.isCancelled else { throw .taskCancelled }
            try self.checkEnd()
            guard let (number, pause) = self.pause(while: \.isClosed) else { return }
            await pause.wait()
            self.forget(number)
        }
    }

    /// The same for calls.
    func passing() async throws(CallFailure) {
        do throws(SyncError) {
            try await self.pass()
        } catch {
            throw CallFailure(error)
        }
    }

    /// Sleeps, but not past the client's end or the task's cancellation.
    func sleep(_ duration: Duration) async throws(SyncError) {
        let wake = ContinuousClock.now + duration
        while true {
            guard !Task.isCancelled else { throw .taskCancelled }
            try self.checkEnd()
            guard ContinuousClock.now < wake else { return }
            // None at the end, which the next round tells.
            guard let (number, pause) = self.pause(while: { !$0.isEnded }) else { continue }
            let timer = Task {
                try? await Task.sleep(until: wake, clock: .continuous)
                pause.end()
            }
            await pause.wait()
            timer.cancel()
            self.forget(number)
        }
    }

    func open() { self.move(to: .open) }
    func close() { self.move(to: .closed) }
    func end(_ error: SyncError) { self.move(to: .ended(error)) }

    /// The end is final.
    private func move(to position: Position) {
        let pauses = self.state.withLock { state -> [Pause] in
            if case .ended = state.position { return [] }
            state.position = position
            defer { state.pauses = [:] }
            return Array(state.pauses.values)
        }
        for pause in pauses { pause.end() }
    }

    /// Ends with the next change.
    private func pause(while isToWait: (Position) -> Bool) -> (number: UInt64, pause: Pause)? {
        self.state.withLock { state in
            guard isToWait(state.position) else { return nil }
            let pause = Pause()
            state.lastPause += 1
            state.pauses[state.lastPause] = pause
            return (state.lastPause, pause)
        }
    }

    private func forget(_ number: UInt64) {
        self.state.withLock { $0.pauses[number] = nil }
    }
}

extension SyncError {
    /// What a task hears that was cancelled while it waited, whatever it waited for.
    static let taskCancelled = SyncError(.cancelled, "The task was cancelled.", cause: CancellationError())
    static let noAnswer = SyncError(.internal, "The server did not say whether the document exists.")
}
