import BrasaPlatform
import Synchronization

/// Gives out times: to commits, strictly increasing, and to reads, the watermark: everything at or below it is durable,
/// and no commit will ever get a time at or below it. `times` is locked after every other lock of the store.
final class CommitClock: Sendable {
    private struct Times {
        /// Largest time ever given out.
        var last: Int64
        /// Time of the newest commit that the log has, or is about to get. The store is idle when it is durable.
        var lastCommit: Int64
    }

    private let times: Mutex<Times>
    private let durable: Atomic<Int64>
    private let clock: Clock

    /// Reads this close to each other may share a time, so that each need not move the watermark.
    private static let restMicroseconds: Int64 = 1_000

    init(clock: Clock) {
        self.clock = clock
        self.times = Mutex(Times(last: .min, lastCommit: .min))
        self.durable = Atomic(.min)
    }

    /// Everything up to `time` was recovered.
    func resume(after time: Int64) {
        self.times.withLock { $0 = Times(last: time, lastCommit: time) }
        self.isDurable(time)
    }

    var watermark: Int64 { self.durable.load(ordering: .acquiring) }
    var wall: Int64 { self.clock.wall().microseconds }

    /// The time of the next commit. Until `isDurable` or `withdraw` names it, the watermark moves no further than commits
    /// before it. It is `passing` if that was the last time given out and no read has it.
    func stamp(preferring passing: Int64? = nil) -> (time: Int64, before: Int64) {
        self.times.withLock { times in
            let before = times.lastCommit
            if passing != times.last || self.watermark >= times.last { times.last = self.next(times) }
            times.lastCommit = times.last
            return (times.last, before)
        }
    }

    /// A time for what changes nothing, and need not become durable.
    func passingTime() -> Int64 {
        self.times.withLock { times in
            times.last = self.next(times)
            return times.last
        }
    }

    private func next(_ times: Times) -> Int64 {
        let (next, overflow) = times.last.addingReportingOverflow(1)
        precondition(!overflow, "time has ended")
        return max(self.wall, next)
    }

    /// Of the newest commit that was not withdrawn.
    var lastCommit: Int64 { self.times.withLock { $0.lastCommit } }

    /// The newest stamp's commit did not happen.
    func withdraw(before: Int64) {
        self.times.withLock { $0.lastCommit = before }
    }

    func isDurable(_ time: Int64) {
        self.durable.max(time, ordering: .acquiringAndReleasing)
    }

    /// The watermark, moved up to the clock first when no commit is on its way. `exactly` does so however little time
    /// has passed, and waits for a commit that is being stamped.
    func readTime(exactly: Bool = false) -> Int64 {
        let watermark = self.watermark
        let wall = self.wall
        guard wall > watermark, exactly || wall - watermark >= Self.restMicroseconds else { return watermark }
        if exactly {
            self.times.withLock { self.advance(&$0, to: wall) }
        } else {
            self.times.withLockIfAvailable { self.advance(&$0, to: wall) }
        }
        return self.watermark
    }

    private func advance(_ times: inout Times, to wall: Int64) {
        guard self.watermark >= times.lastCommit else { return }
        times.last = max(times.last, wall)
        self.isDurable(times.last)
    }
}
