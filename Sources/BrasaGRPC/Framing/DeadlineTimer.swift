internal import NIOCore

protocol DeadlineHolder: AnyObject {
    /// The deadline has passed; the ticket is spent.
    func deadlineExpired()
}

/// The deadlines of all calls of an event loop or connection behind one scheduled task. Almost every call has a deadline
/// and almost none reaches it, so the task is not touched when a call ends: it finds out when it fires. Only on its loop.
final class DeadlineTimer {
    private let eventLoop: any EventLoop
    private var queue = DeadlineQueue<any DeadlineHolder>()
    private var task: Scheduled<Void>?
    /// When `task` fires, in nanoseconds; meaningless without one.
    private var firesAt: UInt64 = 0

    init(eventLoop: any EventLoop) {
        self.eventLoop = eventLoop
    }

    func insert(_ holder: any DeadlineHolder, deadline: NIODeadline) -> DeadlineQueue<any DeadlineHolder>.Ticket {
        let ticket = self.queue.insert(holder, deadline: deadline.uptimeNanoseconds)
        self.schedule()
        return ticket
    }

    func remove(_ ticket: DeadlineQueue<any DeadlineHolder>.Ticket) {
        self.queue.remove(ticket)
    }

    private func schedule() {
        guard let earliest = self.queue.earliest else { return }
        if let task = self.task {
            guard earliest < self.firesAt else { return }
            task.cancel()
        }
        self.firesAt = earliest
        self.task = self.eventLoop.assumeIsolated().scheduleTask(deadline: .uptimeNanoseconds(earliest)) {
            self.fire()
        }
    }

    private func fire() {
        self.task = nil
        let now = self.eventLoop.now.uptimeNanoseconds
        while let holder = self.queue.popExpired(now: now) { holder.deadlineExpired() }
        self.schedule()
    }
}
