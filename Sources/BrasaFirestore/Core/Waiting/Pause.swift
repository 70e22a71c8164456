internal import Synchronization

/// A pause of one task, which ends once: by whoever ends it, or by the task's cancellation.
final class Pause: Sendable {
    private struct State {
        var continuation: CheckedContinuation<Void, Never>?
        var isOver = false
    }

    private let state = Mutex(State())

    func wait() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = self.state.withLock { state in
                    if !state.isOver { state.continuation = continuation }
                    return state.isOver
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            self.end()
        }
    }

    func end() {
        let continuation = self.state.withLock { state in
            state.isOver = true
            defer { state.continuation = nil }
            return state.continuation
        }
        continuation?.resume()
    }
}
