package import BrasaPlatform
import Synchronization

extension SharedCommitLog {
    /// What a node has when it leads.
    struct Opened {
        let log: any SharedLog
        let epoch: LogEpoch
        let folder: LogFolder
        let lock: any DiskLock
        let mailbox: any Mailbox
        let awaitAnswer: @Sendable () -> Void
        let writer: SharedFrameWriter
        let lastTime: Int64
        /// Of frames with something later than the checkpoint.
        let recoveredBytes: Int
    }

    private static let readBytes = 4 << 20

    /// Locks the folder, becomes the log's leader, recovers the folder's newest whole checkpoint and the log's records after
    /// it, and begins its own epoch with a frame. Answers come on `mailbox`; `awaitAnswer` returns when one may have come.
    package static func open(
        _ log: any SharedLog,
        disk: any Disk,
        directory: String,
        configuration: LogConfiguration,
        observer: LogObserver,
        mailbox: any Mailbox,
        awaitAnswer: @escaping @Sendable () -> Void,
        replay: (LogEntry) throws(LogRejection) -> Void
    ) throws(LogError) -> SharedCommitLog {
        let folder = LogFolder(disk: disk, directory: directory)
        let lock = try WriteAheadLog.lock(folder)
        let contents = try asLogError { () throws(DiskError) in try folder.contents() }
        let scan = LogScan(folder: folder, contents: contents)
        // The log has everything from its beginning, so that a damaged checkpoint is no loss.
        let checkpoint = try scan.replayNewestWholeCheckpoint(replay).checkpoint
        if let checkpoint, checkpoint.salt != log.salt {
            throw LogError(.damaged, file: directory, detail: "the checkpoint belongs to another log")
        }
        try asLogError { () throws(DiskError) in
            for path in contents.temporaries { try disk.remove(path) }
        }
        let asking = Asking(mailbox: mailbox, awaitAnswer: awaitAnswer)
        let head = try self.claim(log, asking)
        guard let epoch = head.epoch else { throw LogError(.failed, detail: "the shared log gave no epoch") }
        var reader = SharedFrameReader(salt: log.salt)
        let covered = checkpoint?.time ?? .min
        let bytes = try self.read(log, through: head.newest, covered: covered, asking, &reader) {
            (time, payload) throws(LogError) in
            if time <= covered { return }
            do throws(LogRejection) {
                try replay(.record(time: time, payload))
            } catch {
                throw LogError(.rejected, detail: "a record of the shared log: \(error.reason)")
            }
        }
        var writer = SharedFrameWriter(
            salt: log.salt,
            frameBytesMax: log.frameBytesMax,
            epoch: epoch.number,
            next: reader.next,
            chain: reader.chain,
            time: reader.time
        )
        let position = writer.next
        let opening = writer.opening()
        try asking.untilKnown { log.append(opening, at: position, in: epoch, $0) }
        let opened = Opened(
            log: log,
            epoch: epoch,
            folder: folder,
            lock: lock,
            mailbox: mailbox,
            awaitAnswer: awaitAnswer,
            writer: writer,
            lastTime: max(reader.time, covered),
            recoveredBytes: bytes
        )
        return SharedCommitLog(opened, configuration: configuration, observer: observer)
    }

    private static func claim(_ log: any SharedLog, _ asking: Asking) throws(LogError) -> SharedLogHead {
        while true {
            let seen = try asking.untilKnown { log.head($0) }
            // One that is not known to have happened shows in the next head, and is claimed anew.
            if case .success(let claimed?) = asking.once({ log.claim(after: seen, $0) }) { return claimed }
        }
    }

    /// Returns how many bytes have something later than `covered`.
    private static func read(
        _ log: any SharedLog,
        through newest: LogPosition,
        covered: Int64,
        _ asking: Asking,
        _ reader: inout SharedFrameReader,
        _ record: (Int64, UnsafeRawBufferPointer) throws(LogError) -> Void
    ) throws(LogError) -> Int {
        // A record's first frames do not say yet of which time it is.
        var (bytes, unfinishedBytes) = (0, 0)
        while reader.next <= newest {
            let next = reader.next
            let frames = try asking.untilKnown { log.read(from: next, bytes: Self.readBytes, $0) }
            guard !frames.isEmpty else { throw LogError(.damaged, detail: "the shared log lacks frame \(next.index)") }
            for frame in frames where reader.next <= newest {
                try reader.read(frame, record)
                unfinishedBytes += frame.count
                if reader.isInRecord { continue }
                if reader.time > covered { bytes += unfinishedBytes }
                unfinishedBytes = 0
            }
        }
        return bytes
    }
}

/// Asks and waits for the answer, while a log is opened.
private struct Asking {
    let mailbox: any Mailbox
    let awaitAnswer: @Sendable () -> Void

    func once<Value: Sendable>(_ ask: (SharedLogReply<Value>) -> Void) -> Result<Value, SharedLogError> {
        let answer = Answer<Value>()
        ask(SharedLogReply(mailbox: self.mailbox) { answer.set($0) })
        while true {
            if let result = answer.result { return result }
            self.awaitAnswer()
        }
    }

    func untilKnown<Value: Sendable>(_ ask: (SharedLogReply<Value>) -> Void) throws(LogError) -> Value {
        while true {
            switch self.once(ask) {
            case .success(let value): return value
            case .failure(.unknown), .failure(.refused): continue
            case .failure(.fenced), .failure(.taken):
                throw LogError(.failed, detail: "another leads the shared log")
            }
        }
    }
}

private final class Answer<Value: Sendable>: Sendable {
    private let value = Mutex<Result<Value, SharedLogError>?>(nil)

    var result: Result<Value, SharedLogError>? { self.value.withLock { $0 } }

    func set(_ result: Result<Value, SharedLogError>) { self.value.withLock { $0 = result } }
}
