package import NIOCore

/// The deadlines of all calls of an event loop or connection behind one scheduled task. Almost every call has a deadline
/// and almost none reaches it, so the task is not touched when a call ends: it finds out when it fires. Only on its loop.
///
/// Deadlines are kept by the millisecond: none comes before its time, and none more than a millisecond after, besides what
/// the loop is late by itself.
package final class DeadlineTimer {
    private static var tickNanoseconds: UInt64 { 1_000_000 }

    private let eventLoop: any EventLoop
    private var wheel = DeadlineWheel()
    private var task: Scheduled<Void>?
    /// When `task` fires; meaningless without one.
    private var firesAt: UInt64 = 0

    package init(eventLoop: any EventLoop) {
        self.eventLoop = eventLoop
    }

    /// Replaces the deadline that the entry has.
    package func insert(_ entry: DeadlineEntry, deadline: NIODeadline, now: NIODeadline) {
        let (tick, rest) = deadline.uptimeNanoseconds.quotientAndRemainder(
            dividingBy: Self.tickNanoseconds
        )
        self.wheel.insert(
            entry,
            at: rest == 0 ? tick : tick + 1,
            now: now.uptimeNanoseconds / Self.tickNanoseconds
        )
        self.schedule()
    }

    package func remove(_ entry: DeadlineEntry) {
        self.wheel.remove(entry)
    }

    private func schedule() {
        guard let next = self.wheel.nextTick else { return }
        if let task = self.task {
            guard next < self.firesAt else { return }
            task.cancel()
        }
        self.firesAt = next
        let (time, overflow) = next.multipliedReportingOverflow(by: Self.tickNanoseconds)
        let deadline = NIODeadline.uptimeNanoseconds(overflow ? .max : time)
        self.task = self.eventLoop.assumeIsolated().scheduleTask(deadline: deadline) { self.fire() }
    }

    private func fire() {
        self.task = nil
        let now = self.eventLoop.now.uptimeNanoseconds / Self.tickNanoseconds
        while let entry = self.wheel.popExpired(by: now) { entry.deadlineExpired() }
        self.schedule()
    }
}

/// What is done at a time, for those who are no entry themselves.
package final class DeadlineAlarm: DeadlineEntry {
    private let action: () -> Void

    package init(_ action: @escaping () -> Void) {
        self.action = action
        super.init()
    }

    override func deadlineExpired() { self.action() }
}
