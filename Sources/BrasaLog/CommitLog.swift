/// What a store asks of the log that makes its commits durable: records in the order of their times, appended by one caller
/// at a time, durable in that order, and found again by recovery after the newest checkpoint.
///
/// One is a `WriteAheadLog` of files; another a `SharedCommitLog`, whose records several machines keep. The store chooses
/// (`StoreLog`).
package protocol CommitLog: Sendable {
    /// Time of the newest record recovered or appended, or the checkpoint's; `Int64.min` when there is none.
    var lastTime: Int64 { get }
    /// Bytes that a restart would have to read beside the newest checkpoint, roughly.
    var bytesSinceCheckpoint: Int { get }
    /// Whether records are refused, some or all, until there is room again.
    var isDiskFull: Bool { get }
    var statistics: LogStatistics { get }

    /// Queues a record. `time`, which is its place in the log, is above all earlier ones. The waiter hears once, on its
    /// mailbox, unless this throws.
    func append(time: Int64, record: any LogPayload, waiter: LogWaiter?) throws(LogError)

    /// Completes when everything appended up to `time` is durable: inside this call when it already is, or when the log
    /// has failed or was closed before it was.
    func barrier(through time: Int64, _ waiter: LogWaiter)

    /// Begins a checkpoint of the state after all records up to and including `time`. The log runs on meanwhile.
    func beginCheckpoint(time: Int64) throws(LogError) -> CheckpointWriter

    /// Makes one group of records durable, or goes on with that; whether there was something to do.
    func step() -> Bool
    /// Prepares what the log will need; whether there was something to do.
    func prepareStep() -> Bool
    /// Makes sure of the room for what comes next, if that has to be done beforehand.
    func prepareNextSegment()
    /// To be called every second or so: records are taken again when there is room.
    func retryFullDisk()

    /// Runs `step` and `prepareStep` on threads of the log's own.
    func start()
    /// Refuses new records, makes those that are queued durable, and ends the log's threads.
    func stop()
}

extension WriteAheadLog: CommitLog {}
