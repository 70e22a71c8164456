import BrasaPlatform
import Synchronization

/// Records in one order, durable in groups (docs/storage-format.md has the bytes).
///
/// Callers queue records under a short lock; `step`, on the log's own thread or called by a simulation, writes and syncs
/// whatever has gathered, moves the durable time and completes the waiters. Each state has one guard:
///
/// - `queue`: its lock, held for a few instructions.
/// - `writer`: its lock, held by `step` across disk operations, and by nobody else while the log runs.
/// - `segments`: its lock, shared by `step` (which adds) and a checkpoint's commit (which removes).
/// - Lock order: `writer`, then one of the others; those two are never held together.
package final class WriteAheadLog: Sendable {
    let configuration: LogConfiguration
    let observer: LogObserver
    let queue: Mutex<GroupQueue>
    /// Nil in the mode `memory`.
    let files: LogFiles?
    let clock: Clock
    /// Added to by `step`, under the lock of `writer`.
    let groups = GroupMeasures()
    let worker = Worker(name: "brasa-log")
    let preparingWorker = Worker(name: "brasa-segments")

    init(configuration: LogConfiguration, clock: Clock, observer: LogObserver, lastTime: Int64, files: LogFiles?) {
        self.configuration = configuration
        self.clock = clock
        self.observer = observer
        let roomBytes = files?.writer.withLock { $0.segment.roomBytes } ?? 0
        self.queue = Mutex(GroupQueue(roomBytes: roomBytes, lastTime: lastTime, durableTime: lastTime))
        self.files = files
    }

    /// Time of the newest record recovered or appended, or the checkpoint's; `Int64.min` when there is none.
    package var lastTime: Int64 { self.queue.withLock { $0.lastTime } }
    package var durableTime: Int64 { self.queue.withLock { $0.durableTime } }

    /// Queues a record. `time` is above all earlier ones (the caller's writer section sees to it). The waiter hears once,
    /// on its mailbox, unless this throws.
    package func append(time: Int64, record: any LogPayload, waiter: LogWaiter?) throws(LogError) {
        let entry = QueuedRecord(time: time, payload: record, waiter: waiter)
        if entry.payloadBytes > self.configuration.recordBytesMax {
            throw LogError(
                .recordTooLarge,
                detail: "a record of \(entry.payloadBytes) bytes; \(self.configuration.recordBytesMax) are allowed"
            )
        }
        let isDurableAtOnce = self.files == nil
        try self.queue.withLock { queue throws(LogError) in
            try queue.check(entry, bytesMax: self.configuration.queuedBytesMax, waitingFor: "the disk")
            if queue.isDiskFull, queue.claimedBytes + entry.diskBytesMax > queue.roomBytes {
                throw LogError(.diskFull, detail: "the disk is full")
            }
            queue.lastTime = time
            if isDurableAtOnce {
                queue.durableTime = time
            } else {
                queue.add(entry)
                queue.claimedBytes += entry.diskBytesMax
            }
        }
        if isDurableAtOnce {
            self.observer.onDurable(time)
            if let waiter { waiter.mailbox.post { waiter.complete(.success(())) } }
        } else {
            self.worker.wake()
        }
    }

    /// The same with bytes that are there.
    package func append(time: Int64, record: [UInt8], waiter: LogWaiter?) throws(LogError) {
        try self.append(time: time, record: record as any LogPayload, waiter: waiter)
    }

    /// Completes when everything appended up to `time`, by default all of it, is durable: inside this call when it already
    /// is, or when the log has failed or was closed before it was.
    package func barrier(through time: Int64 = .max, _ waiter: LogWaiter) {
        let answer = self.queue.withLock { $0.addBarrier(through: time, waiter) }
        if let answer { waiter.complete(answer) } else { self.worker.wake() }
    }

    /// Runs `step` and `prepareStep` on threads of their own.
    package func start() {
        guard let files = self.files else { return }
        self.preparingWorker.start { self.prepareStep() }
        self.worker.start {
            let didWork = self.step()
            // A full disk is tried again at its own pace, not with every group.
            if didWork && files.wantsSpare.load(ordering: .relaxed) && !self.isDiskFull { self.preparingWorker.wake() }
            return didWork
        }
    }

    /// Refuses new records, makes those that are queued durable, and gives the folder free. Not for the log's threads.
    package func stop() {
        self.queue.withLock { queue in
            queue.refusal = queue.refusal ?? LogError(.closed, detail: "the log is closed")
        }
        self.worker.stop()
        self.preparingWorker.stop()
        // The last attempt for what waits for room.
        if self.queue.withLock({ $0.stuck != .no }) { _ = self.prepareStep() }
        while self.step() {}
        self.close()
    }
}
