internal import BrasaApp
internal import BrasaSync
internal import Dispatch
internal import Synchronization

/// Tells a closure events on the user's queue, one after the other whichever queue it is.
final class ClosureListener: Sendable {
    private struct State {
        var events = EventQueue()
        var isRunning = false
        /// Jobs that found another one at work and left it their event.
        var owed = 0
        var isRemoved = false
    }

    private let state = Mutex(State())
    private let queue: DispatchQueue
    /// The user's closure: called by one thread after the other, see `State.isRunning`.
    private let handler: Handed<(EventQueue.Event) -> Void>

    init(queue: DispatchQueue, handler: @escaping (EventQueue.Event) -> Void) {
        self.queue = queue
        self.handler = Handed(handler)
    }

    /// From the engine. There is one job on the queue for each event that waits.
    func post(_ event: EventQueue.Event) {
        let isNew = self.state.withLock { state in
            state.isRemoved ? false : state.events.append(event)
        }
        if isNew { self.queue.async { self.run() } }
    }

    func remove() {
        self.state.withLock { state in
            state.isRemoved = true
            state.events.removeAll()
        }
    }

    /// On a concurrent queue a job may find another one at work, which then does its event as well.
    private func run() {
        var event = self.state.withLock { state -> EventQueue.Event? in
            guard !state.isRunning else {
                state.owed += 1
                return nil
            }
            let event = state.events.next()
            state.isRunning = event != nil
            return event
        }
        while let current = event {
            self.handler.value(current)
            event = self.state.withLock { state in
                if state.owed > 0, let next = state.events.next() {
                    state.owed -= 1
                    return next
                }
                state.isRunning = false
                state.owed = 0
                return nil
            }
        }
    }
}
