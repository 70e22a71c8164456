internal import BrasaSync
internal import Synchronization

/// Events between the engine and one loop over an asynchronous sequence. A loop that is dropped removes its listener.
final class SnapshotBuffer: Sendable {
    private struct State {
        var events = EventQueue()
        var waiting: CheckedContinuation<EventQueue.Event?, Never>?
        var isEnded = false
    }

    private let state = Mutex(State())

    func post(_ event: EventQueue.Event) {
        let waiting = self.state.withLock { state -> CheckedContinuation<EventQueue.Event?, Never>? in
            guard !state.isEnded else { return nil }
            defer { state.waiting = nil }
            if state.waiting == nil { _ = state.events.append(event) }
            return state.waiting
        }
        waiting?.resume(returning: event)
    }

    /// The loop is over: nothing more is told.
    func end() {
        let waiting = self.state.withLock { state -> CheckedContinuation<EventQueue.Event?, Never>? in
            state.isEnded = true
            state.events.removeAll()
            defer { state.waiting = nil }
            return state.waiting
        }
        waiting?.resume(returning: nil)
    }

    /// Nil at the end. One call at a time: an iterator is not shared.
    func next() async -> EventQueue.Event? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let event = self.state.withLock { state -> EventQueue.Event?? in
                    if state.isEnded { return .some(nil) }
                    if let event = state.events.next() { return event }
                    state.waiting = continuation
                    return nil
                }
                if let event { continuation.resume(returning: event) }
            }
        } onCancel: {
            self.end()
        }
    }
}
