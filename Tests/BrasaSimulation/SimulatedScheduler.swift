import BrasaPlatform
import Synchronization

/// Runs what is posted to its mailboxes, one piece at a time: in order within a mailbox, in an order that the seed
/// decides between them.
package final class SimulatedScheduler: Sendable {
    private struct State {
        var random: SeededRandom
        var queues: [[@Sendable () -> Void]] = []
    }

    private let state: Mutex<State>

    package init(seed: UInt64) {
        self.state = Mutex(State(random: SeededRandom(seed: seed)))
    }

    package func mailbox() -> SimulatedMailbox {
        let index = self.state.withLock { state in
            state.queues.append([])
            return state.queues.count - 1
        }
        return SimulatedMailbox(scheduler: self, index: index)
    }

    fileprivate func post(_ work: @escaping @Sendable () -> Void, to index: Int) {
        self.state.withLock { $0.queues[index].append(work) }
    }

    /// Runs one piece of work; false when there is none.
    package func runOne() -> Bool {
        let work = self.state.withLock { state -> (@Sendable () -> Void)? in
            let waiting = state.queues.indices.filter { !state.queues[$0].isEmpty }
            guard let index = waiting.randomElement(using: &state.random) else { return nil }
            return state.queues[index].removeFirst()
        }
        guard let work else { return false }
        work()
        return true
    }

    /// Runs until nothing is left, including what the work itself posts.
    package func runAll() {
        while self.runOne() {}
    }

    /// The process died: what was posted is never run.
    package func discardAll() {
        self.state.withLock { state in
            for index in state.queues.indices { state.queues[index].removeAll() }
        }
    }
}

package final class SimulatedMailbox: Mailbox {
    private let scheduler: SimulatedScheduler
    private let index: Int

    fileprivate init(scheduler: SimulatedScheduler, index: Int) {
        self.scheduler = scheduler
        self.index = index
    }

    package func post(_ work: @escaping @Sendable () -> Void) {
        self.scheduler.post(work, to: self.index)
    }
}
