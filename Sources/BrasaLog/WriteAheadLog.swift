package import BrasaPlatform

/// (being written; the signatures stand)
package final class WriteAheadLog: Sendable {
    package static func open(
        disk: any Disk,
        directory: String,
        configuration: LogConfiguration,
        entropy: Entropy,
        observer: LogObserver,
        replay: (LogEntry) throws(LogRejection) -> Void
    ) throws(LogError) -> WriteAheadLog {
        throw LogError(.closed, detail: "not there yet")
    }

    /// Time of the newest record that was recovered or appended, or the checkpoint's; `Int64.min` when there is none.
    package var lastTime: Int64 { 0 }
    package var durableTime: Int64 { 0 }
    package var bytesSinceCheckpoint: Int { 0 }

    package func append(time: Int64, record: [UInt8], waiter: LogWaiter?) throws(LogError) {}
    package func barrier(_ waiter: LogWaiter) {}

    package func step() -> Bool { false }
    /// Allocates the next segment when it is missing; the second background activity.
    package func prepareStep() -> Bool { false }
    package func start() {}
    package func stop() {}

    package func beginCheckpoint(time: Int64) throws(LogError) -> CheckpointWriter { CheckpointWriter() }
}

package final class CheckpointWriter: Sendable {
    init() {}
    package func append(_ chunk: UnsafeRawBufferPointer) throws(LogError) {}
    package func append(_ chunk: [UInt8]) throws(LogError) {}
    package func commit() throws(LogError) {}
    package func abandon() {}
}
