import BrasaMeasures
import BrasaPlatform
import Synchronization

/// Commits on a log that several machines keep (`SharedLog`): what has gathered is appended as frames, one of them in flight
/// at a time, and is durable when the last of them is. One of whose outcome nothing is known is appended again with the
/// same bytes at the same position, for as long as it takes: that does no harm, whatever became of it. When a newer
/// leader has begun, the log has failed: what was not durable may be, and only a restart finds out.
///
/// Checkpoints are files of this machine's folder. States and guards are those of `WriteAheadLog`.
package final class SharedCommitLog: CommitLog {
    struct Sending: Sendable {
        var writer: SharedFrameWriter
        /// Records that are made durable.
        var group: [QueuedRecord] = []
        /// Their frames, the first one at `position`.
        var frames = FrameList()
        var position: LogPosition
        var isInFlight = false
        var isClosed = false
    }

    /// Frames in their order; those before `next` are durable.
    struct FrameList: Sendable {
        var all: [[UInt8]] = []
        var next = 0

        var first: [UInt8]? { self.next < self.all.count ? self.all[self.next] : nil }
    }

    let log: any SharedLog
    let epoch: LogEpoch
    let configuration: LogConfiguration
    let observer: LogObserver
    let folder: LogFolder
    private let lock: any DiskLock
    private let queue: Mutex<GroupQueue>
    private let sending: Mutex<Sending>
    private let mailbox: any Mailbox
    private let awaitAnswer: @Sendable () -> Void
    private let groups = GroupMeasures()
    private let worker = Worker(name: "brasa-log")
    private let appendedBytes: Atomic<Int>
    let checkpointedBytes = Atomic<Int>(0)
    private let nextCheckpointName = Atomic<Int>(0)

    init(_ opened: Opened, configuration: LogConfiguration, observer: LogObserver) {
        self.log = opened.log
        self.epoch = opened.epoch
        self.configuration = configuration
        self.observer = observer
        self.folder = opened.folder
        self.lock = opened.lock
        self.mailbox = opened.mailbox
        self.awaitAnswer = opened.awaitAnswer
        self.queue = Mutex(GroupQueue(roomBytes: .max, lastTime: opened.lastTime, durableTime: opened.lastTime))
        self.sending = Mutex(Sending(writer: opened.writer, position: opened.writer.next))
        self.appendedBytes = Atomic(opened.recoveredBytes)
    }

    package var lastTime: Int64 { self.queue.withLock { $0.lastTime } }
    package var isDiskFull: Bool { false }
    package var statistics: LogStatistics {
        let (records, bytes, isRefusing) = self.queue.withLock { ($0.unfinished, $0.queuedBytes, $0.refusal != nil) }
        return LogStatistics(
            groupRecords: self.groups.records.values,
            groupBytes: self.groups.bytes.values,
            groupDurations: self.groups.durations.values,
            queuedRecords: records,
            queuedBytes: bytes,
            segments: 0,
            bytesSinceCheckpoint: self.bytesSinceCheckpoint,
            isDiskFull: false,
            isRefusing: isRefusing
        )
    }
    package func prepareStep() -> Bool { false }
    package func prepareNextSegment() {}
    package func retryFullDisk() {}

    package func append(time: Int64, record: any LogPayload, waiter: LogWaiter?) throws(LogError) {
        let entry = QueuedRecord(time: time, payload: record, waiter: waiter)
        if entry.payloadBytes > self.configuration.recordBytesMax {
            throw LogError(.recordTooLarge, detail: "a record of \(entry.payloadBytes) bytes")
        }
        try self.queue.withLock { queue throws(LogError) in
            try queue.check(entry, bytesMax: self.configuration.queuedBytesMax, waitingFor: "the shared log")
            queue.lastTime = time
            queue.add(entry)
        }
        self.worker.wake()
    }

    package func barrier(through time: Int64, _ waiter: LogWaiter) {
        let answer = self.queue.withLock { $0.addBarrier(through: time, waiter) }
        if let answer { waiter.complete(answer) } else { self.worker.wake() }
    }

    package func start() { self.worker.start { self.step() } }

    package func stop() {
        self.queue.withLock { $0.refusal = $0.refusal ?? LogError(.closed, detail: "the log is closed") }
        self.worker.stop()
        while true {
            if self.step() { continue }
            // What is left is on its way.
            guard self.queue.withLock({ $0.unfinished > 0 }) else { break }
            self.awaitAnswer()
        }
        self.sending.withLock { $0.isClosed = true }
        self.lock.release()
    }

    // MARK: Frames

    /// Appends the next frame when none is in flight; whether there was one.
    package func step() -> Bool {
        self.sending.withLock { sending in
            guard !sending.isInFlight, !sending.isClosed else { return false }
            if sending.frames.first == nil {
                sending.group = self.queue.withLock { queue -> [QueuedRecord] in
                    defer { queue.waiting.removeAll() }
                    return queue.waiting
                }
                guard !sending.group.isEmpty else { return false }
                sending.frames = FrameList(all: sending.writer.frames(sending.group[...]))
                // Nothing but barriers, for what came before.
                guard sending.frames.first != nil else {
                    self.finish(&sending)
                    return true
                }
            }
            guard let frame = sending.frames.first else { return false }
            sending.isInFlight = true
            let reply = SharedLogReply<Void>(mailbox: self.mailbox) { self.frameIsAnswered($0) }
            self.log.append(frame, at: sending.position, in: self.epoch, reply)
            return true
        }
    }

    private func frameIsAnswered(_ result: Result<Void, SharedLogError>) {
        self.sending.withLock { sending in
            guard sending.isInFlight, !sending.isClosed else { return }
            sending.isInFlight = false
            switch result {
            case .success:
                let bytes = sending.frames.first?.count ?? 0
                self.appendedBytes.add(bytes, ordering: .relaxed)
                self.groups.bytes.record(bytes)
                sending.frames.next += 1
                sending.position = sending.position.next
                if sending.frames.first == nil { self.finish(&sending) }
            case .failure(.unknown), .failure(.refused): break
            case .failure(.fenced): self.fail("another leads the shared log", &sending)
            case .failure(.taken): self.fail("the shared log has another frame in this one's place", &sending)
            }
        }
        self.worker.wake()
    }

    /// The group is durable.
    private func finish(_ sending: inout Sending) {
        let group = sending.group
        sending.group = []
        var completions = Completions<Result<Void, LogError>>()
        for record in group { completions.add(record.waiter) }
        let time = group.last { !$0.isBarrier }?.time
        if time != nil { self.groups.records.record(group.count { !$0.isBarrier }) }
        // Before the queue says so, since a barrier is then answered at once.
        if let time { self.observer.onDurable(time) }
        self.queue.withLock { queue in
            queue.queuedBytes -= group.reduce(0) { $0 + $1.queuedBytes }
            queue.unfinished -= group.count
            if let time { queue.durableTime = time }
        }
        completions.run(.success(()))
    }

    private func fail(_ detail: String, _ sending: inout Sending) {
        let error = LogError(.failed, detail: detail)
        let group = sending.group
        sending.group = []
        sending.isClosed = true
        let (waiting, durableTime) = self.queue.withLock { queue -> ([QueuedRecord], Int64) in
            defer {
                queue.waiting.removeAll()
                queue.queuedBytes = 0
                queue.unfinished = 0
            }
            queue.refusal = error.afterwards
            return (queue.waiting, queue.durableTime)
        }
        var (reached, failed) = (Completions<Result<Void, LogError>>(), Completions<Result<Void, LogError>>())
        for record in group + waiting {
            if record.isBarrier && record.time <= durableTime {
                reached.add(record.waiter)
            } else {
                failed.add(record.waiter)
            }
        }
        self.observer.onFailure(error)
        reached.run(.success(()))
        failed.run(.failure(error.afterwards))
    }

    // MARK: Checkpoints

    package var bytesSinceCheckpoint: Int {
        self.appendedBytes.load(ordering: .relaxed) - self.checkpointedBytes.load(ordering: .relaxed)
    }

    package func beginCheckpoint(time: Int64) throws(LogError) -> CheckpointWriter {
        let began = self.appendedBytes.load(ordering: .relaxed)
        let name = self.nextCheckpointName.add(1, ordering: .relaxed).newValue
        return try CheckpointWriter(
            folder: self.folder,
            header: CheckpointHeader(salt: self.log.salt, time: time),
            temporaryPath: self.folder.temporaryPath("checkpoint-\(name)")
        ) { [self] () throws(LogError) in
            self.checkpointedBytes.store(began, ordering: .relaxed)
            try asLogError { () throws(DiskError) in
                let older = try self.folder.contents().checkpoints.filter { $0 < time }
                for time in older { try self.folder.disk.remove(self.folder.checkpointPath(time)) }
                if !older.isEmpty { try self.folder.disk.syncDirectory(self.folder.directory) }
            }
        }
    }
}
