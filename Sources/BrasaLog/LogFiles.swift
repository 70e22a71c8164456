import BrasaPlatform
import Synchronization

/// What a log that keeps files works on.
final class LogFiles: Sendable {
    /// Guarded by `writer`.
    struct Writing: ~Copyable, Sendable {
        var segment: SegmentWriter
        /// Taken from the queue; those before `next` are done.
        var taken: [QueuedRecord] = []
        var next = 0
        /// Time of the newest record written.
        var lastTime: Int64
        var isClosed = false
    }

    /// A segment that a checkpoint may make needless.
    struct KnownSegment {
        var number: UInt64
        var previousTime: Int64
    }

    let folder: LogFolder
    let lock: any DiskLock
    let salt: [UInt8]
    let preparer: SegmentPreparer
    let writer: Mutex<Writing>
    /// Ascending; the last one is being written.
    let segments: Mutex<[KnownSegment]>
    let wantsSpare: Atomic<Bool>
    /// Bytes of log in use on disk, ever increasing.
    let writtenBytes: Atomic<Int>
    /// `writtenBytes` when the newest durable checkpoint began.
    let checkpointedBytes = Atomic<Int>(0)
    let nextCheckpointName = Atomic<Int>(0)

    init(
        folder: LogFolder,
        lock: any DiskLock,
        preparer: SegmentPreparer,
        segment: consuming SegmentWriter,
        lastTime: Int64,
        segments: [KnownSegment],
        writtenBytes: Int
    ) {
        self.folder = folder
        self.lock = lock
        self.salt = segment.header.salt
        self.preparer = preparer
        self.writer = Mutex(Writing(segment: segment, lastTime: lastTime))
        self.segments = Mutex(segments)
        self.wantsSpare = Atomic(false)
        self.writtenBytes = Atomic(writtenBytes)
    }

    /// The segment that is being written from now on; it may have replaced the one of its number.
    func note(_ header: SegmentHeader) {
        self.segments.withLock { segments in
            if segments.last?.number == header.number { return }
            segments.append(KnownSegment(number: header.number, previousTime: header.previousTime))
        }
    }
}
