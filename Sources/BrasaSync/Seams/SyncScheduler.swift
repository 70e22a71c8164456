package import BrasaDocuments

/// The one ordered executor on which the whole engine runs, with its clock, timers and dice. No call of it runs work
/// before the call returns.
package protocol SyncScheduler: AnyObject {
    /// Wall-clock time, for local writes.
    var now: Timestamp { get }
    /// Time since some fixed point, for delays.
    var uptime: Duration { get }
    /// Uniform in 0..<1.
    func random() -> Double
    /// Runs the work after what is enqueued already.
    func enqueue(_ work: @escaping () -> Void)
    func schedule(_ timer: SyncTimer, after delay: Duration, _ work: @escaping () -> Void) -> SyncTimerID
    /// Nothing happens when the timer has fired.
    func cancel(_ id: SyncTimerID)
}

/// What a timer is for.
package enum SyncTimer: Hashable, Sendable, CaseIterable {
    case watchStreamIdle, watchStreamBackoff, watchStreamHealth
    case writeStreamIdle, writeStreamBackoff, writeStreamHealth
    case onlineState, readTimeout, storageRetry, garbageCollection, indexBackfill
}

/// Chosen by the scheduler, never used twice.
package struct SyncTimerID: Hashable, Sendable {
    package let number: UInt64

    package init(number: UInt64) {
        self.number = number
    }
}
