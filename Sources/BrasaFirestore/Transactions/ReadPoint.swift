internal import BrasaDocuments
internal import BrasaStatus
internal import BrasaSync
internal import Synchronization

/// The time of all reads of a transaction that writes nothing: it was given, or is that of the first read, for which the
/// others wait.
final class ReadPoint: Sendable {
    private struct State {
        var time: BrasaDocuments.Timestamp?
        /// The first one is under way.
        var isBeginning = false
        /// One for each task that waits for it.
        var waiting: [Pause] = []
    }

    private enum Turn {
        case first
        case at(BrasaDocuments.Timestamp)
        case wait(Pause)
    }

    private let state: Mutex<State>

    init(at time: BrasaDocuments.Timestamp? = nil) {
        self.state = Mutex(State(time: time))
    }

    /// Reads something at the transaction's time; nil: now. Gives it with the time that it was read at.
    func read<Value>(
        _ body: (BrasaDocuments.Timestamp?) async throws(SyncError) -> (value: Value, time: BrasaDocuments.Timestamp?)
    ) async throws(SyncError) -> Value {
        while true {
            switch self.turn() {
            case .at(let time): return try await body(time).value
            case .first:
                let result = await Result { () async throws(SyncError) in try await body(nil) }
                let time = try? result.get().time
                self.settle(time)
                let value = try result.get().value
                guard time != nil else { throw SyncError(.internal, "The server did not say when it has read.") }
                return value
            case .wait(let pause):
                await pause.wait()
                guard !Task.isCancelled else { throw .taskCancelled }
            }
        }
    }

    private func turn() -> Turn {
        self.state.withLock { state in
            if let time = state.time { return .at(time) }
            guard state.isBeginning else {
                state.isBeginning = true
                return .first
            }
            let pause = Pause()
            state.waiting.append(pause)
            return .wait(pause)
        }
    }

    /// Without a time, the next one is the first.
    private func settle(_ time: BrasaDocuments.Timestamp?) {
        let waiting = self.state.withLock { state in
            state.time = time
            state.isBeginning = false
            defer { state.waiting = [] }
            return state.waiting
        }
        for pause in waiting { pause.end() }
    }
}
