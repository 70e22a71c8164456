package import BrasaLog

/// The log of a store: a closed choice, so that what the store asks of it is a plain call. A generic parameter would go
/// through every room above, where it would not be specialised.
package enum StoreLog: CommitLog {
    /// In files of this machine.
    case files(WriteAheadLog)
    /// Kept by several machines.
    case shared(SharedCommitLog)

    package var lastTime: Int64 {
        switch self {
        case .files(let log): log.lastTime
        case .shared(let log): log.lastTime
        }
    }

    package var bytesSinceCheckpoint: Int {
        switch self {
        case .files(let log): log.bytesSinceCheckpoint
        case .shared(let log): log.bytesSinceCheckpoint
        }
    }

    package var isDiskFull: Bool {
        switch self {
        case .files(let log): log.isDiskFull
        case .shared(let log): log.isDiskFull
        }
    }

    package var statistics: LogStatistics {
        switch self {
        case .files(let log): log.statistics
        case .shared(let log): log.statistics
        }
    }

    package func append(time: Int64, record: any LogPayload, waiter: LogWaiter?) throws(LogError) {
        switch self {
        case .files(let log): try log.append(time: time, record: record, waiter: waiter)
        case .shared(let log): try log.append(time: time, record: record, waiter: waiter)
        }
    }

    package func barrier(through time: Int64, _ waiter: LogWaiter) {
        switch self {
        case .files(let log): log.barrier(through: time, waiter)
        case .shared(let log): log.barrier(through: time, waiter)
        }
    }

    package func beginCheckpoint(time: Int64) throws(LogError) -> CheckpointWriter {
        switch self {
        case .files(let log): try log.beginCheckpoint(time: time)
        case .shared(let log): try log.beginCheckpoint(time: time)
        }
    }

    package func step() -> Bool {
        switch self {
        case .files(let log): log.step()
        case .shared(let log): log.step()
        }
    }

    package func prepareStep() -> Bool {
        switch self {
        case .files(let log): log.prepareStep()
        case .shared(let log): log.prepareStep()
        }
    }

    package func prepareNextSegment() {
        switch self {
        case .files(let log): log.prepareNextSegment()
        case .shared(let log): log.prepareNextSegment()
        }
    }

    package func retryFullDisk() {
        switch self {
        case .files(let log): log.retryFullDisk()
        case .shared(let log): log.retryFullDisk()
        }
    }

    package func start() {
        switch self {
        case .files(let log): log.start()
        case .shared(let log): log.start()
        }
    }

    package func stop() {
        switch self {
        case .files(let log): log.stop()
        case .shared(let log): log.stop()
        }
    }
}
