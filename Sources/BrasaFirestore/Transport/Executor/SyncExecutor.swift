package import BrasaClientNetwork
package import BrasaDocuments
package import BrasaSync
internal import Foundation
package import NIOCore

/// The sync engine's executor: an event loop, which runs one thing after the other and has timers.
///
/// Unchecked: on the event loop only, but for `submit`, `deliver` and `runAtOnce`.
package final class SyncExecutor: SyncScheduler, @unchecked Sendable {
    package let eventLoop: any EventLoop
    private let thread: EventLoopThread?

    // Guarded by the event loop.
    private var timers: [SyncTimerID: Scheduled<Void>] = [:]
    private var lastTimer: UInt64 = 0
    /// Something of the engine's is running.
    private var isBusy = false

    package init(_ eventLoop: any EventLoop) {
        self.eventLoop = eventLoop
        self.thread = nil
    }

    package init(_ thread: EventLoopThread) {
        self.eventLoop = thread.eventLoop
        self.thread = thread
    }

    /// From any thread: runs the work after what was handed over before.
    package func submit(_ work: @escaping @Sendable () -> Void) {
        self.eventLoop.execute { self.run(work) }
    }

    /// The same at once where that is possible: on the executor's own event loop, while nothing of the engine's is running.
    /// So what a connection says is not put off where engine and connection share a loop, and never heard inside a call of
    /// the engine's that has made the connection say it.
    package func deliver(_ work: @escaping @Sendable () -> Void) {
        if !self.runAtOnce(work) { self.submit(work) }
    }

    /// False where that is not possible.
    func runAtOnce(_ work: () -> Void) -> Bool {
        guard self.eventLoop.inEventLoop, !self.isBusy else { return false }
        self.run(work)
        return true
    }

    /// On the event loop, not inside of something that is running.
    func run(_ work: () -> Void) {
        self.isBusy = true
        defer { self.isBusy = false }
        work()
    }

    // MARK: SyncScheduler

    package var now: BrasaDocuments.Timestamp {
        BrasaDocuments.Timestamp(microseconds: Int64(Date().timeIntervalSince1970 * 1_000_000))
    }

    package var uptime: Duration { .nanoseconds(Int64(clamping: self.eventLoop.now.uptimeNanoseconds)) }

    package func random() -> Double { .random(in: 0..<1) }

    package func enqueue(_ work: @escaping () -> Void) {
        self.eventLoop.assumeIsolated().execute { self.run(work) }
    }

    package func schedule(
        _ timer: SyncTimer,
        after delay: Duration,
        _ work: @escaping () -> Void
    ) -> SyncTimerID {
        self.lastTimer += 1
        let id = SyncTimerID(number: self.lastTimer)
        self.timers[id] = self.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(delay)) {
            self.timers[id] = nil
            self.run(work)
        }
        return id
    }

    package func cancel(_ id: SyncTimerID) {
        self.eventLoop.assertInEventLoop()
        self.timers.removeValue(forKey: id)?.cancel()
    }
}
