package import BrasaDocuments
package import BrasaSync
internal import Foundation
package import NIOCore

/// The sync engine's executor: an event loop, which runs one thing after the other and has timers.
///
/// Unchecked: on the event loop only, but for `submit`.
package final class SyncExecutor: SyncScheduler, @unchecked Sendable {
    package let eventLoop: any EventLoop
    private let thread: EventLoopThread?

    // Guarded by the event loop.
    private var timers: [SyncTimerID: Scheduled<Void>] = [:]
    private var lastTimer: UInt64 = 0

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
        self.eventLoop.execute(work)
    }

    // MARK: SyncScheduler

    package var now: BrasaDocuments.Timestamp {
        BrasaDocuments.Timestamp(microseconds: Int64(Date().timeIntervalSince1970 * 1_000_000))
    }

    package var uptime: Duration { .nanoseconds(Int64(clamping: self.eventLoop.now.uptimeNanoseconds)) }

    package func random() -> Double { .random(in: 0..<1) }

    package func enqueue(_ work: @escaping () -> Void) {
        self.eventLoop.assumeIsolated().execute(work)
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
            work()
        }
        return id
    }

    package func cancel(_ id: SyncTimerID) {
        self.eventLoop.assertInEventLoop()
        self.timers.removeValue(forKey: id)?.cancel()
    }
}
